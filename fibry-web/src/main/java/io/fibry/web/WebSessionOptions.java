package io.fibry.web;

import io.fibry.internal.clock.Durations;
import java.time.Duration;
import java.util.Objects;

/**
 * The options of sessions. Options are immutable: each call returns other options.
 *
 * @param cookie the name of the cookie; over TLS it gets the prefix {@code __Host-}
 * @param idle how long a session lives without being used
 * @param lifetime how long a session lives at most
 * @param askLimit how long code may take that a request runs in a session, with the time that it waits for other code
 * @param most how many sessions there may be
 * @param secure whether browsers send the cookie over TLS only
 */
public record WebSessionOptions(String cookie, Duration idle, Duration lifetime, Duration askLimit, int most,
        boolean secure) {
    private static final WebSessionOptions STANDARD = new WebSessionOptions("session", Duration.ofMinutes(30),
            Duration.ofHours(12), Duration.ofSeconds(30), 100_000, true);

    /**
     * Checks all parts.
     *
     * @param cookie a name of a cookie
     * @param idle more than zero
     * @param lifetime more than zero
     * @param askLimit more than zero
     * @param most at least one
     * @param secure any value
     */
    public WebSessionOptions {
        Objects.requireNonNull(SetCookie.of(cookie, ""), "cookie"); // checks the name
        Durations.positiveNanos(idle, "idle");
        Durations.positiveNanos(lifetime, "lifetime");
        Durations.positiveNanos(askLimit, "askLimit");
        Positive.require(most, "most");
    }

    /**
     * Returns the standard options. A session ends when it was not used for 30 minutes, or after 12 hours. There may be
     * 100,000 sessions, and the cookie needs TLS.
     *
     * @return the options
     */
    public static WebSessionOptions standard() {
        return STANDARD;
    }

    /**
     * Returns the same options with another name of the cookie. It is {@code session} by default.
     *
     * @param name the name
     * @return the new options
     */
    public WebSessionOptions cookie(String name) {
        return new WebSessionOptions(name, idle, lifetime, askLimit, most, secure);
    }

    /**
     * Returns the same options with another time for which a session lives without being used.
     *
     * @param time the time, more than zero
     * @return the new options
     */
    public WebSessionOptions idle(Duration time) {
        return new WebSessionOptions(cookie, time, lifetime, askLimit, most, secure);
    }

    /**
     * Returns the same options with another time for which a session lives at most.
     *
     * @param time the time, more than zero
     * @return the new options
     */
    public WebSessionOptions lifetime(Duration time) {
        return new WebSessionOptions(cookie, idle, time, askLimit, most, secure);
    }

    /**
     * Returns the same options with another limit of the code that requests run in sessions.
     *
     * @param limit the time, more than zero
     * @return the new options
     */
    public WebSessionOptions askLimit(Duration limit) {
        return new WebSessionOptions(cookie, idle, lifetime, limit, most, secure);
    }

    /**
     * Returns the same options with another number of sessions. If there are as many, further ones are refused with 503.
     *
     * @param sessions how many sessions there may be, at least one
     * @return the new options
     */
    public WebSessionOptions most(int sessions) {
        return new WebSessionOptions(cookie, idle, lifetime, askLimit, sessions, secure);
    }

    /**
     * Returns the same options for a cookie that is sent over TLS only, or also without TLS. Only tests should do without.
     *
     * @param needed whether TLS is needed
     * @return the new options
     */
    public WebSessionOptions secure(boolean needed) {
        return new WebSessionOptions(cookie, idle, lifetime, askLimit, most, needed);
    }
}
