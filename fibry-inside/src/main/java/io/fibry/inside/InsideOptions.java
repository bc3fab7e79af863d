package io.fibry.inside;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;

/**
 * Where the page is served, and to whom. Options are immutable: each call returns other options.
 *
 * @param address the address to listen on; port 0 chooses any free port
 * @param token what a browser must know, empty if any program on this machine may look
 * @param tls the keys for HTTPS
 * @param worklists what somebody can act on; without them the page only reads
 */
public record InsideOptions(InetSocketAddress address, Optional<String> token, Optional<SSLContext> tls,
        List<Worklist<?>> worklists) {
    private static final int SHORTEST_TOKEN = 16;
    private static final int LONGEST_TOKEN = 256;

    /**
     * Checks that other machines, and changes, need a token.
     *
     * @param address the address
     * @param token 16 to 256 letters, digits, hyphens and underscores, at random
     * @param tls the keys for HTTPS
     * @param worklists what somebody can act on
     * @throws IllegalArgumentException if there is no token although other machines can reach the address or there
     *     are worklists, or if the token has another form
     */
    public InsideOptions {
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(token, "token");
        Objects.requireNonNull(tls, "tls");
        worklists = List.copyOf(worklists);
        if (address.isUnresolved()) {
            throw new IllegalArgumentException(
                    "the host of " + address + " is not known: give an address of this machine");
        }
        if (token.isEmpty() && !address.getAddress().isLoopbackAddress()) {
            throw new IllegalArgumentException("other machines can reach " + address
                    + ", so the page needs a token there: use InsideOptions.address(address, token)");
        }
        if (token.isEmpty() && !worklists.isEmpty()) {
            throw new IllegalArgumentException("the list '" + worklists.getFirst()
                    + "' lets who opens the page change something, so the page needs a token: call token(...) first");
        }
        token.ifPresent(InsideOptions::check);
    }

    /** Refuses a token that does not fit into an address, or that can be guessed. The text does not contain it. */
    private static void check(String token) {
        if (token.length() < SHORTEST_TOKEN || token.length() > LONGEST_TOKEN
                || !token.matches("[A-Za-z0-9_-]+")) {
            throw new IllegalArgumentException("a token has " + SHORTEST_TOKEN + " to " + LONGEST_TOKEN
                    + " letters, digits, hyphens and underscores, at random; this one has " + token.length()
                    + " characters");
        }
    }

    /**
     * Returns options for a port of 127.0.0.1, which only programs of this machine can reach.
     *
     * @param port the port; 0 chooses any free port
     * @return the options
     */
    public static InsideOptions localPort(int port) {
        return new InsideOptions(new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                Optional.empty(), Optional.empty(), List.of());
    }

    /**
     * Returns options for any address of this machine. Without {@linkplain #tls TLS}, the token and all that the page
     * shows can be read on the way.
     *
     * @param address the address; port 0 chooses any free port
     * @param token what a browser must know: 16 to 256 letters, digits, hyphens and underscores, at random
     * @return the options
     */
    public static InsideOptions address(InetSocketAddress address, String token) {
        return new InsideOptions(address, Optional.of(Objects.requireNonNull(token, "token")),
                Optional.empty(), List.of());
    }

    /**
     * Returns the same options with another token. On a machine with several users, it keeps the others out.
     * A browser has it as a cookie, which it sends to all ports of the host: so open no page there that another user serves.
     *
     * @param secret what a browser must know
     * @return the new options
     */
    public InsideOptions token(String secret) {
        return new InsideOptions(address, Optional.of(Objects.requireNonNull(secret, "secret")), tls,
                worklists);
    }

    /**
     * Returns the same options with HTTPS.
     *
     * @param keys the keys
     * @return the new options
     */
    public InsideOptions tls(SSLContext keys) {
        return new InsideOptions(address, token, Optional.of(Objects.requireNonNull(keys, "keys")),
                worklists);
    }

    /**
     * Returns the same options with one more list on the page. Whoever has the token sees its rows and can act on
     * them; each act is logged, with the address that it came from.
     *
     * @param list the list
     * @return the new options
     * @throws IllegalArgumentException if there is no token
     */
    public InsideOptions worklist(Worklist<?> list) {
        return new InsideOptions(address, token, tls,
                Stream.concat(worklists.stream(), Stream.of(Objects.requireNonNull(list, "list"))).toList());
    }

    /** Returns a text that does not contain the token. */
    @Override
    public String toString() {
        return "InsideOptions[address=" + address + (token.isEmpty() ? "" : ", with a token")
                + (tls.isEmpty() ? "" : ", with TLS")
                + (worklists.isEmpty() ? "" : ", with " + worklists) + "]";
    }
}
