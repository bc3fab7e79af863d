package io.fibry.net;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The filters of some routes, and what answers failures of their handlers. Objects of this class are immutable. {@link
 * HttpRoutes} has methods that add filters; a program needs this class only to inspect them.
 *
 * @param filters the filters; the first one is the outermost
 * @param failures what answers failures, by their classes
 */
public record HttpFilters(List<HttpFilter> filters,
        Map<Class<? extends Throwable>, HttpFailureHandler<? super Throwable>> failures) {
    private static final HttpFilters NONE = new HttpFilters(List.of(), Map.of());

    /**
     * Copies both.
     *
     * @param filters the filters
     * @param failures what answers failures
     */
    public HttpFilters {
        filters = List.copyOf(filters);
        failures = Map.copyOf(failures);
    }

    /**
     * Returns filters without any filter.
     *
     * @return the filters
     */
    public static HttpFilters none() {
        return NONE;
    }

    /**
     * Tells whether there is neither a filter nor a handler of failures.
     *
     * @return whether this is {@link #none()}
     */
    public boolean isEmpty() {
        return filters.isEmpty() && failures.isEmpty();
    }

    /**
     * Returns what answers a failure: the handler of its class, or of the nearest class above it.
     *
     * @param failure the failure
     * @return the handler
     */
    public Optional<HttpFailureHandler<? super Throwable>> handlerOf(Throwable failure) {
        for (Class<?> type = failure.getClass(); type != null; type = type.getSuperclass()) {
            var handler = failures.get(type);
            if (handler != null) {
                return Optional.of(handler);
            }
        }
        return Optional.empty();
    }

    HttpFilters around(HttpFilter filter) {
        var more = new ArrayList<>(filters);
        more.add(Objects.requireNonNull(filter, "filter"));
        return new HttpFilters(more, failures);
    }

    <T extends Throwable> HttpFilters failing(Class<T> type, HttpFailureHandler<? super T> handler) {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(handler, "handler");
        if (failures.containsKey(type)) {
            throw new IllegalArgumentException("there is a handler of " + type.getName()
                    + " already; routes have one for each class, and a group of routes may have its own");
        }
        var more = new HashMap<>(failures);
        more.put(type, (call, failure) -> handler.answer(call, type.cast(failure)));
        return new HttpFilters(filters, more);
    }
}
