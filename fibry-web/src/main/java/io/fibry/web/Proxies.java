package io.fibry.web;

import io.fibry.net.HttpCall;
import io.fibry.web.internal.AddressBlock;
import io.fibry.web.internal.ForwardedList;
import io.fibry.web.internal.ForwardedList.Hop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The proxies whose statements about their clients are believed. A client can send any header, so the headers of others
 * are ignored.
 *
 * <pre>{@code
 * var proxies = Proxies.trusting("10.0.0.0/8", "fd00::/8");
 * routes.before(call -> LOG.info("from {}", proxies.client(call).address()));
 * }</pre>
 *
 * <p>The list of addresses is read from its end, where the nearest proxy has written: the client is the first address
 * that is not a proxy. What is left of this address was written by the client, and is not read. The headers
 * are {@code X-Forwarded-For}, {@code -Proto} and {@code -Host}. Each proxy must add to the end of these, or the outermost
 * proxy must replace what clients send in them. Objects of this class are immutable.
 */
public final class Proxies {
    private static final Proxies NONE = new Proxies(List.of());

    private final List<AddressBlock> trusted;

    private Proxies(List<AddressBlock> trusted) {
        this.trusted = trusted;
    }

    /**
     * What is known of a client.
     *
     * @param address the address of the client
     * @param isSecure whether the client uses TLS, if the proxies state it; otherwise empty
     * @param host the host that the client named, if the proxies state it; otherwise empty
     */
    public record Client(InetAddress address, Optional<Boolean> isSecure, Optional<String> host) {
    }

    /**
     * Returns that no proxy is believed: clients are those that connect.
     *
     * @return no proxies
     */
    public static Proxies none() {
        return NONE;
    }

    /**
     * Returns proxies by their addresses.
     *
     * @param blocks addresses, or blocks of addresses such as {@code 10.0.0.0/8}
     * @return the proxies
     * @throws IllegalArgumentException if one is neither an address nor a block of addresses
     */
    public static Proxies trusting(String... blocks) {
        return new Proxies(Arrays.stream(blocks).map(AddressBlock::of).toList());
    }

    /**
     * Returns the client of a request.
     *
     * @param call the request
     * @return the client
     */
    public Client client(HttpCall call) {
        return client(call.exchange().remoteAddress(), call::headers);
    }

    /**
     * Returns the client of a request that has been answered.
     *
     * @param access the request
     * @return the client
     */
    public Client client(WebAccess access) {
        return client(access.peer(), name -> access.headers().entrySet().stream()
                .filter(header -> header.getKey().equalsIgnoreCase(name)).findFirst()
                .map(header -> header.getValue()).orElse(List.of()));
    }

    private Client client(InetSocketAddress peer, Function<String, List<String>> headers) {
        Optional<Hop> hop = !isTrusted(peer.getAddress()) ? Optional.empty()
                : ForwardedList.of(headers.apply("X-Forwarded-For"), headers.apply("X-Forwarded-Proto"),
                        headers.apply("X-Forwarded-Host"), this::isTrusted);
        return hop.map(stated -> new Client(stated.address(), stated.isSecure(), stated.host()))
                .orElseGet(() -> new Client(peer.getAddress(), Optional.empty(), Optional.empty()));
    }

    /**
     * Tells whether an address is that of a proxy that is believed.
     *
     * @param address the address
     * @return whether it belongs to one of the blocks
     */
    public boolean isTrusted(InetAddress address) {
        return trusted.stream().anyMatch(block -> block.contains(address));
    }

    @Override
    public String toString() {
        return "Proxies" + trusted;
    }
}
