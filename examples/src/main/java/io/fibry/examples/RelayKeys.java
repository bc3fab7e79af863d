package io.fibry.examples;

import io.fibry.examples.frame.Option;
import io.fibry.examples.frame.Options;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * The keys of a relay or of an agent: a file with its own key, and with the certificates of those that it trusts.
 * {@code keytool} makes them, and {@code docs/net.md} shows how.
 */
final class RelayKeys {
    private static final String PASSWORD = "FIBRY_RELAY_PASSWORD";

    private RelayKeys() {
    }

    static Option option(String initial) {
        return new Option("--keys", initial, "a PKCS12 file; its password is in " + PASSWORD);
    }

    /**
     * Reads the file. The password is not an argument, because all users of the machine can see the arguments of a
     * program.
     */
    static SSLContext read(Options options, Map<String, String> environment) {
        var file = Path.of(options.text("--keys"));
        var password = environment.getOrDefault(PASSWORD, "").toCharArray();
        try (var in = Files.newInputStream(file)) {
            var store = KeyStore.getInstance("PKCS12");
            store.load(in, password);
            var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, password);
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            var context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw options.wrong("--keys wants a PKCS12 file, and " + PASSWORD + " its password: " + e);
        }
    }
}
