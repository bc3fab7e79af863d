package io.fibry.inside;

import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.Optional;
import java.util.StringTokenizer;

/**
 * Decides who may look.
 *
 * <p>A page of another site whose name leads to this machine (DNS rebinding) sends that name as the host. So, without
 * a token, the host must be {@code localhost} or an address in digits. A page of another site that asks for something
 * here says so in {@code Sec-Fetch-Site}.
 */
final class AccessCheck {
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int UNSUPPORTED = 415;
    private static final String BEARER = "Bearer ";

    private final Optional<byte[]> token;
    private final String cookie;
    private final boolean isSecure;

    AccessCheck(InsideOptions options) {
        token = options.token().map(text -> text.getBytes(StandardCharsets.US_ASCII));
        // Cookies belong to a host with all its ports, so each token has one of its own.
        cookie = "fibry-inside-"
                + options.token().map(text -> Integer.toHexString(text.hashCode())).orElse("");
        isSecure = options.tls().isPresent();
    }

    /** Returns the refusal of a request for the page itself, to which other sites may have a link. */
    Optional<HttpAnswer> refusalOfPage(HttpCall call) {
        if (token.isEmpty() && !isAddress(call.header("Host").orElse(""))) {
            return refused(FORBIDDEN, "This page is served to the names localhost and 127.0.0.1"
                    + " alone: a token would let it have others.");
        }
        if (token.isPresent() && !hasToken(call)) {
            return Optional.of(HttpAnswer.text("This page needs its token: open it by the address that"
                    + " Inside.address() returns.\n").status(UNAUTHORIZED)
                    .header("WWW-Authenticate", "Bearer"));
        }
        return Optional.empty();
    }

    /** Returns the refusal of a request for anything else. */
    Optional<HttpAnswer> refusal(HttpCall call) {
        var from = call.header("Sec-Fetch-Site").orElse("none");
        if (!from.equals("same-origin") && !from.equals("none")) {
            return refused(FORBIDDEN, "Another site may not ask for this.");
        }
        return refusalOfPage(call);
    }

    /**
     * Returns the refusal of a request that changes something. A browser tells with each of them from where it comes,
     * and no page of another site may send JSON without asking first.
     */
    Optional<HttpAnswer> refusalOfChange(HttpCall call) {
        var own = "://" + call.header("Host").orElse("");
        boolean isOwn = call.header("Sec-Fetch-Site").map("same-origin"::equals)
                .orElseGet(() -> call.header("Origin")
                        .map(origin -> origin.equals("http" + own) || origin.equals("https" + own))
                        .orElse(true));
        if (!isOwn) {
            return refused(FORBIDDEN, "Another site may not ask for this.");
        }
        if (!call.header("Content-Type").orElse("").equals("application/json")) {
            return refused(UNSUPPORTED, "This request needs the content type application/json.");
        }
        return refusalOfPage(call);
    }

    private static Optional<HttpAnswer> refused(int status, String text) {
        return Optional.of(HttpAnswer.text(text + "\n").status(status));
    }

    /** Returns the answer to a request that has the token in its address: it takes the token out of there. */
    Optional<HttpAnswer> welcome(HttpCall call) {
        return call.query("token").filter(this::isToken).map(text -> HttpAnswer.empty(303)
                .header("Location", "/").header("Set-Cookie", cookie + "=" + text
                        + "; Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")));
    }

    private boolean hasToken(HttpCall call) {
        var bearer = call.header("Authorization").filter(value -> value.startsWith(BEARER));
        if (bearer.isPresent()) {
            return isToken(bearer.get().substring(BEARER.length()));
        }
        for (var header : call.headers("Cookie")) {
            var pairs = new StringTokenizer(header, "; ");
            while (pairs.hasMoreTokens()) {
                var pair = pairs.nextToken();
                if (pair.startsWith(cookie + "=") && isToken(pair.substring(cookie.length() + 1))) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Compares all characters, so that the time it takes tells nothing. */
    private boolean isToken(String text) {
        return token.isPresent() && MessageDigest.isEqual(token.get(), text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns whether a host is an address in digits, or the name that each machine has for itself. */
    private static boolean isAddress(String host) {
        if (host.startsWith("[")) {
            return true; // an address of IPv6: the server has checked it
        }
        var colon = host.indexOf(':');
        var name = (colon < 0 ? host : host.substring(0, colon)).toLowerCase(Locale.ROOT);
        return name.equals("localhost") || name.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
    }
}
