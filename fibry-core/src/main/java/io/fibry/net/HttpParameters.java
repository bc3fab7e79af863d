package io.fibry.net;

import io.fibry.internal.text.HttpText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The names and values of a query or of a form, decoded. A name may have several values; their order is that in which
 * the client has sent them. Objects of this class are immutable.
 */
public final class HttpParameters {
    /** How many values a query or a form may have. Browsers send one for each field. */
    static final int MOST = 1_000;
    private static final HttpParameters NONE = new HttpParameters(Map.of());

    private final Map<String, List<String>> values;

    private HttpParameters(Map<String, List<String>> values) {
        this.values = values;
    }

    /**
     * Returns names and values that are decoded already.
     *
     * @param values the values of each name
     * @return the names and values
     */
    public static HttpParameters of(Map<String, List<String>> values) {
        var copy = new LinkedHashMap<String, List<String>>();
        values.forEach((name, all) -> copy.put(Objects.requireNonNull(name, "name"), List.copyOf(all)));
        return new HttpParameters(copy);
    }

    /**
     * Returns what an encoded query or form contains.
     *
     * @param encoded names and values, for example {@code a=1&b=J%C3%B8rgen}; an empty string has none
     * @return the names and values
     * @throws HttpProblem with status 400 if the text is not well encoded, or if there are more than 1,000 values
     */
    public static HttpParameters decode(String encoded) {
        if (encoded.isEmpty()) {
            return NONE;
        }
        var found = new LinkedHashMap<String, List<String>>();
        var count = 0;
        for (var at = 0; at <= encoded.length();) {
            var and = encoded.indexOf('&', at);
            var end = and < 0 ? encoded.length() : and;
            if (end > at) {
                if (++count > MOST) {
                    throw new HttpProblem(400, "there are more than " + MOST + " values");
                }
                var equals = encoded.indexOf('=', at);
                var endOfName = equals < 0 || equals > end ? end : equals;
                found.computeIfAbsent(decoded(encoded.substring(at, endOfName)),
                        name -> new ArrayList<>(1))
                        .add(endOfName == end ? "" : decoded(encoded.substring(endOfName + 1, end)));
            }
            at = end + 1;
        }
        return new HttpParameters(found);
    }

    /** Returns the first value of a name in an encoded query. */
    static Optional<String> first(String query, String name) {
        for (var at = 0; at < query.length();) {
            var and = query.indexOf('&', at);
            var end = and < 0 ? query.length() : and;
            var equals = query.indexOf('=', at);
            var endOfName = equals < 0 || equals > end ? end : equals;
            if (decoded(query.substring(at, endOfName)).equals(name)) {
                return Optional.of(endOfName == end ? "" : decoded(query.substring(endOfName + 1, end)));
            }
            at = end + 1;
        }
        return Optional.empty();
    }

    private static String decoded(String encoded) {
        return HttpText.decoded(encoded, true,
                cause -> new HttpProblem(400, "the query or form is not well encoded", cause));
    }

    /**
     * Returns the first value of a name.
     *
     * @param name the name
     * @return the value, which is an empty string if the name was sent without a value
     */
    public Optional<String> first(String name) {
        var all = all(name);
        return all.isEmpty() ? Optional.empty() : Optional.of(all.getFirst());
    }

    /**
     * Returns the first value of a name that the client must send.
     *
     * @param name the name
     * @return the value
     * @throws HttpProblem with status 400 if there is none; the text has the name
     */
    public String required(String name) {
        return first(name).orElseThrow(() -> new HttpProblem(400, "'" + name + "' is missing"));
    }

    /**
     * Returns all values of a name.
     *
     * @param name the name
     * @return the values, in the order in which they were sent
     */
    public List<String> all(String name) {
        var known = values.get(Objects.requireNonNull(name, "name"));
        return known == null ? List.of() : List.copyOf(known);
    }

    /**
     * Returns the names.
     *
     * @return the names, in the order in which they were sent first
     */
    public Set<String> names() {
        return java.util.Collections.unmodifiableSet(values.keySet());
    }
}
