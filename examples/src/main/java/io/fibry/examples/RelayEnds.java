package io.fibry.examples;

import io.fibry.examples.frame.Option;
import io.fibry.examples.frame.Options;
import io.fibry.net.RelaySecret;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.regex.Pattern;

/** The code that the programs of a relay and of its agent share. */
final class RelayEnds {
    private static final String SECRET = "FIBRY_RELAY_SECRET";
    private static final Pattern ADDRESS = Pattern.compile("(.+):([0-9]{1,5})");
    private static final int MAX_PORT = 65_535;

    private RelayEnds() {
    }

    /**
     * Returns the secret. It is not an argument, because all users of the machine can see the arguments of a program.
     */
    static RelaySecret secret(Options options, Map<String, String> environment) {
        var secret = environment.getOrDefault(SECRET, "");
        try {
            return RelaySecret.of(secret);
        } catch (IllegalArgumentException tooShort) {
            throw options.wrong("the environment variable " + SECRET
                    + " wants the same 16 characters or more for relay and agent, not " + secret.length());
        }
    }

    static Option address(String name, String initial, String what) {
        return new Option(name, initial, "HOST:PORT, " + what);
    }

    static InetSocketAddress address(Options options, String name) {
        var parts = ADDRESS.matcher(options.text(name));
        if (!parts.matches() || Integer.parseInt(parts.group(2)) > MAX_PORT) {
            throw options.wrong(name + " wants HOST:PORT, not '" + options.text(name) + "'");
        }
        return InetSocketAddress.createUnresolved(parts.group(1), Integer.parseInt(parts.group(2)));
    }
}
