package io.fibry.web;

import io.fibry.net.HttpAnswer;
import java.time.Duration;
import java.util.Objects;

/**
 * A cookie that an answer gives to a browser. By default it is sent back over TLS only, to all paths of the same host,
 * until the browser ends; scripts cannot read it, and other sites cannot send it in forms. Browsers take {@code
 * localhost} for a host with TLS. Objects of this class are immutable: each call returns another cookie.
 *
 * <pre>{@code
 * var cookie = SetCookie.of("theme", "dark").maxAge(Duration.ofDays(365));
 * return HttpAnswer.empty(204).header("Set-Cookie", cookie.encoded());
 * }</pre>
 */
public final class SetCookie {
    private static final int MOST_BYTES = 4_096;
    private static final char DELETE = 0x7F;

    /** When a browser sends the cookie with requests that other sites cause. */
    public enum SameSite {
        /** Never. */
        STRICT("Strict"),
        /** If the user follows a link. */
        LAX("Lax"),
        /** Always. Browsers want TLS for this. */
        NONE("None");

        private final String word;

        SameSite(String word) {
            this.word = word;
        }
    }

    private final String name;
    private final String value;
    private final String path;
    private final String domain;
    private final long maxAgeSeconds;
    private final boolean secure;
    private final boolean httpOnly;
    private final SameSite sameSite;

    private SetCookie(String name, String value, String path, String domain, long maxAgeSeconds,
            boolean secure,
            boolean httpOnly, SameSite sameSite) {
        this.name = name;
        this.value = value;
        this.path = path;
        this.domain = domain;
        this.maxAgeSeconds = maxAgeSeconds;
        this.secure = secure;
        this.httpOnly = httpOnly;
        this.sameSite = sameSite;
    }

    /**
     * Returns a cookie.
     *
     * @param name letters, digits and {@code !#$%&'*+-.^_`|~}
     * @param value ASCII without spaces, quotes, commas, semicolons and backslashes; encode anything else, for example
     *     by {@code URLEncoder}
     * @return the cookie
     * @throws IllegalArgumentException if a browser would not take the cookie
     */
    public static SetCookie of(String name, String value) {
        new HttpAnswer.Header(name, ""); // checks the name
        for (var i = 0; i < value.length(); i++) {
            var c = value.charAt(i);
            if (c <= ' ' || c >= DELETE || c == '"' || c == ',' || c == ';' || c == '\\') {
                throw new IllegalArgumentException("the value of cookie " + name
                        + " has character U+%04X at %d, "
                                .formatted((int) c, i)
                        + "which browsers do not take; encode it, for example by URLEncoder");
            }
        }
        if (name.length() + value.length() > MOST_BYTES) {
            throw new IllegalArgumentException("cookie " + name + " is longer than " + MOST_BYTES
                    + " bytes, which browsers do not take; keep the value on the server and send a key");
        }
        return new SetCookie(name, value, "/", "", -1, true, true, SameSite.LAX);
    }

    /**
     * Returns a cookie that makes a browser forget one. Path and domain must be those of the cookie.
     *
     * @param name the name of the cookie
     * @return the cookie
     */
    public static SetCookie forgetting(String name) {
        return of(name, "").maxAge(Duration.ZERO);
    }

    /**
     * Returns the same cookie for a path and the paths below it. It is {@code /} by default.
     *
     * @param newPath a path that starts with a slash
     * @return the new cookie
     */
    public SetCookie path(String newPath) {
        if (!newPath.startsWith("/")) {
            throw new IllegalArgumentException("the path of cookie " + name + " starts with a slash, unlike '"
                    + newPath + "'");
        }
        return new SetCookie(name, value, attribute("path", newPath), domain, maxAgeSeconds, secure, httpOnly,
                sameSite);
    }

    /**
     * Returns the same cookie for a domain and all hosts in it. By default it is for the host of the server alone.
     *
     * @param newDomain a domain to which the host of the server belongs, for example {@code example.com}
     * @return the new cookie
     */
    public SetCookie domain(String newDomain) {
        return new SetCookie(name, value, path, attribute("domain", newDomain), maxAgeSeconds, secure,
                httpOnly,
                sameSite);
    }

    /**
     * Returns the same cookie with another life. By default it lives until the browser ends.
     *
     * @param age how long the cookie lives, to the second; zero makes the browser forget it
     * @return the new cookie
     */
    public SetCookie maxAge(Duration age) {
        if (age.isNegative()) {
            throw new IllegalArgumentException(
                    "the maxAge of cookie " + name + " must not be negative: " + age);
        }
        return new SetCookie(name, value, path, domain, age.toSeconds(), secure, httpOnly, sameSite);
    }

    /**
     * Returns the same cookie, which is sent over TLS only, or also without TLS. It is sent over TLS only by default.
     *
     * @param needed whether TLS is needed
     * @return the new cookie
     */
    public SetCookie secure(boolean needed) {
        return new SetCookie(name, value, path, domain, maxAgeSeconds, needed, httpOnly, sameSite);
    }

    /**
     * Returns the same cookie, hidden from scripts or not. It is hidden by default.
     *
     * @param hidden whether scripts cannot read the cookie
     * @return the new cookie
     */
    public SetCookie httpOnly(boolean hidden) {
        return new SetCookie(name, value, path, domain, maxAgeSeconds, secure, hidden, sameSite);
    }

    /**
     * Returns the same cookie with another rule for requests that other sites cause. It is {@link SameSite#LAX} by
     * default.
     *
     * @param rule when the cookie is sent
     * @return the new cookie
     */
    public SetCookie sameSite(SameSite rule) {
        return new SetCookie(name, value, path, domain, maxAgeSeconds, secure, httpOnly,
                Objects.requireNonNull(rule, "rule"));
    }

    private String attribute(String what, String text) {
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            if (c < ' ' || c >= DELETE || c == ';') {
                throw new IllegalArgumentException(
                        "the " + what + " of cookie " + name + " has character U+%04X at %d: '%s'"
                                .formatted((int) c, i, text));
            }
        }
        return text;
    }

    /**
     * Returns the value of the header {@code Set-Cookie}.
     *
     * @return the cookie with its attributes
     * @throws IllegalArgumentException if a browser would refuse it: {@link SameSite#NONE} and the prefixes {@code
     *     __Secure-} and {@code __Host-} of a name need TLS, and {@code __Host-} the path {@code /} and no domain
     */
    public String encoded() {
        var needsTls =
                sameSite == SameSite.NONE || name.startsWith("__Secure-") || name.startsWith("__Host-");
        if (needsTls && !secure) {
            throw new IllegalArgumentException("browsers refuse cookie " + name
                    + ": its name, or SameSite=None, needs secure(true)");
        }
        if (name.startsWith("__Host-") && !(path.equals("/") && domain.isEmpty())) {
            throw new IllegalArgumentException("browsers refuse cookie " + name
                    + ": with __Host- its path is / and it has no domain");
        }
        return name + "=" + value + "; Path=" + path + (domain.isEmpty() ? "" : "; Domain=" + domain)
                + (maxAgeSeconds < 0 ? "" : "; Max-Age=" + maxAgeSeconds) + (secure ? "; Secure" : "")
                + (httpOnly ? "; HttpOnly" : "") + "; SameSite=" + sameSite.word;
    }
}
