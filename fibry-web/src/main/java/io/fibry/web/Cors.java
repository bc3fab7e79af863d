package io.fibry.web;

import io.fibry.function.ReplyHandler;
import io.fibry.internal.net.ServedCall;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpFilter;
import io.fibry.net.HttpProblem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Lets pages of other sites use routes (cross-origin resource sharing). Without this filter browsers do not show answers
 * to such pages. This protects users of browsers; it does not keep other clients away.
 *
 * <pre>{@code
 * routes.around(Cors.of("https://app.example.com").credentials(true).headers("Content-Type", "Authorization"))
 * }</pre>
 *
 * <p>The filter answers the question that a browser asks before a request (OPTIONS with {@code
 * Access-Control-Request-Method}). It adds its headers to all other answers that filters see, those to failures included.
 * It should be the first filter. Objects of this class are immutable: each call returns another one.
 *
 * @param origins the sites, or {@code *} for all
 * @param methods the methods that pages may use
 * @param headers the headers that pages may send, besides those that all pages may send
 * @param exposed the headers that pages may read, besides those that all pages may read
 * @param credentials whether pages may act for the user, by the cookies of the server
 * @param maxAge how long a browser may keep the answer to its question
 */
public record Cors(Set<String> origins, Set<String> methods, Set<String> headers, Set<String> exposed,
        boolean credentials, Duration maxAge) implements HttpFilter {
    private static final String ALL = "*";
    private static final String ORIGIN =
            "[a-z][a-z0-9+.-]*://(?:[a-z0-9._-]+|\\[[0-9a-f:.]+])(?::[0-9]{1,5})?";

    /**
     * Checks all parts.
     *
     * @param origins the sites, as browsers name them; at least one
     * @param methods names of methods
     * @param headers names of headers
     * @param exposed names of headers
     * @param credentials only if the sites are named
     * @param maxAge not negative
     */
    public Cors {
        origins = Set.copyOf(origins);
        methods = Set.copyOf(methods);
        headers = Set.copyOf(headers);
        exposed = Set.copyOf(exposed);
        if (origins.isEmpty()) {
            throw new IllegalArgumentException(
                    "there is no origin; any() lets the pages of all sites use the routes");
        }
        for (var origin : origins) {
            if (!origin.equals(ALL) && !origin.matches(ORIGIN)) {
                throw new IllegalArgumentException("'" + origin
                        + "' is no origin as browsers name them, such as"
                        + " https://app.example.com: a scheme and a host in small letters, perhaps a port, no path");
            }
        }
        if (credentials && origins.contains(ALL)) {
            throw new IllegalArgumentException(
                    "with credentials the origins must be named, since otherwise every page"
                            + " on the web could act for the user");
        }
        for (var names : List.of(methods, headers, exposed)) {
            names.forEach(name -> new HttpAnswer.Header(name, "")); // checks the name; methods have the same letters
        }
        if (maxAge.isNegative()) {
            throw new IllegalArgumentException("maxAge must not be negative: " + maxAge);
        }
    }

    /**
     * Returns a filter for pages of some sites.
     *
     * @param origins the sites, as browsers name them, for example {@code https://app.example.com}
     * @return the filter
     */
    public static Cors of(String... origins) {
        return new Cors(Set.of(origins), Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"),
                Set.of("Content-Type"), Set.of(), false, Duration.ofMinutes(10));
    }

    /**
     * Returns a filter for pages of all sites, without cookies.
     *
     * @return the filter
     */
    public static Cors any() {
        return of(ALL);
    }

    /**
     * Returns the same filter for other methods. They are GET, HEAD, POST, PUT, PATCH and DELETE by default.
     *
     * @param allowed the methods
     * @return the new filter
     */
    public Cors methods(String... allowed) {
        return new Cors(origins, Set.of(allowed), headers, exposed, credentials, maxAge);
    }

    /**
     * Returns the same filter for other headers of requests. It is {@code Content-Type} by default.
     *
     * @param allowed the headers
     * @return the new filter
     */
    public Cors headers(String... allowed) {
        return new Cors(origins, methods, Set.of(allowed), exposed, credentials, maxAge);
    }

    /**
     * Returns the same filter with headers of answers that pages may read.
     *
     * @param readable the headers
     * @return the new filter
     */
    public Cors exposed(String... readable) {
        return new Cors(origins, methods, headers, Set.of(readable), credentials, maxAge);
    }

    /**
     * Returns the same filter for pages that act for the user by the server's cookies, or that do not. They do not by
     * default.
     *
     * @param allowed whether they may
     * @return the new filter
     */
    public Cors credentials(boolean allowed) {
        return new Cors(origins, methods, headers, exposed, allowed, maxAge);
    }

    /**
     * Returns the same filter with another time for which browsers keep the answer to their question. It is 10 minutes by
     * default.
     *
     * @param age the time, to the second
     * @return the new filter
     */
    public Cors maxAge(Duration age) {
        return new Cors(origins, methods, headers, exposed, credentials, age);
    }

    @Override
    public HttpAnswer filter(HttpCall call, ReplyHandler<HttpCall, HttpAnswer> next) throws Exception {
        var stated = call.headers("Origin");
        var origin = stated.size() == 1 ? stated.getFirst() : "";
        if (!origin.isEmpty() && call.method().equals("OPTIONS")
                && call.header("Access-Control-Request-Method").isPresent()) {
            return question(call, origin);
        }
        var more = headersFor(origin);
        HttpAnswer answer;
        try {
            answer = next.handle(call);
        } catch (Throwable failure) { // the server makes the answer, and keeps these headers
            var served = ServedCall.of(call);
            if (served != null) {
                more.forEach(header -> served.answerHeaders().put(header.name(), header.value()));
            }
            throw failure;
        }
        for (var header : more) {
            answer = answer.header(header.name(), header.value());
        }
        return answer;
    }

    private boolean isAllowed(String origin) {
        return origins.contains(ALL) || origins.contains(origin);
    }

    private List<HttpAnswer.Header> headersFor(String origin) {
        var more = new ArrayList<HttpAnswer.Header>();
        if (!origins.contains(ALL)) {
            more.add(new HttpAnswer.Header("Vary", "Origin")); // also without an origin, since caches keep the answer
        }
        if (!origin.isEmpty() && isAllowed(origin)) {
            more.add(new HttpAnswer.Header("Access-Control-Allow-Origin",
                    origins.contains(ALL) ? ALL : origin));
            if (credentials) {
                more.add(new HttpAnswer.Header("Access-Control-Allow-Credentials", "true"));
            }
            if (!exposed.isEmpty()) {
                more.add(new HttpAnswer.Header("Access-Control-Expose-Headers", list(exposed)));
            }
        }
        return more;
    }

    private HttpAnswer question(HttpCall call, String origin) {
        var method = call.header("Access-Control-Request-Method").orElse("");
        if (!isAllowed(origin)) {
            throw new HttpProblem(403, "pages of this origin may not use this server");
        }
        if (!methods.contains(method)) {
            throw new HttpProblem(403, "pages of other origins may use " + list(methods));
        }
        for (var name : call.header("Access-Control-Request-Headers").orElse("").split(",", -1)) {
            if (!name.isBlank() && headers.stream().noneMatch(name.strip()::equalsIgnoreCase)) {
                throw new HttpProblem(403, "pages of other origins may send " + list(headers));
            }
        }
        var answer = HttpAnswer.empty(204).header("Access-Control-Allow-Methods", list(methods))
                .header("Access-Control-Max-Age", Long.toString(maxAge.toSeconds()))
                .header("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers");
        if (!headers.isEmpty()) {
            answer = answer.header("Access-Control-Allow-Headers", list(headers));
        }
        for (var header : headersFor(origin)) {
            if (!header.name().equals("Access-Control-Expose-Headers")) {
                answer = answer.header(header.name(), header.value());
            }
        }
        return answer;
    }

    private static String list(Set<String> names) {
        return String.join(", ", new TreeSet<>(names));
    }
}
