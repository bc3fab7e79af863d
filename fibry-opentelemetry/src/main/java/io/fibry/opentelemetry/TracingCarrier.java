package io.fibry.opentelemetry;

import io.fibry.TravellingCarrier;
import io.opentelemetry.api.baggage.propagation.W3CBaggagePropagator;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Carries the context of OpenTelemetry. To another process it goes as a propagator writes it into the headers of a request.
 *
 * @param captured makes what is carried of a context
 * @param propagator writes contexts and reads them
 */
record TracingCarrier(Function<Context, Captured> captured,
        TextMapPropagator propagator) implements TravellingCarrier {
    /** The headers of W3C: {@code traceparent}, {@code tracestate} and {@code baggage}. */
    static final TextMapPropagator W3C = TextMapPropagator.composite(W3CTraceContextPropagator.getInstance(),
            W3CBaggagePropagator.getInstance());

    @Override
    public String name() {
        return "opentelemetry";
    }

    @Override
    public Captured capture() {
        return captured.apply(Context.current());
    }

    @Override
    public Map<String, String> write() {
        var written = new HashMap<String, String>();
        propagator.inject(Context.current(), written, (map, key, value) -> {
            if (map != null) {
                map.put(key, value);
            }
        });
        return written;
    }

    @Override
    public Captured read(Map<String, String> written) {
        return captured.apply(propagator.extract(Context.root(), written, Written.GETTER));
    }

    /** Reads headers. A lambda would not tell their names, which some propagators ask for. */
    private enum Written implements TextMapGetter<Map<String, String>> {
        GETTER;

        @Override
        @SuppressWarnings("deprecation") // propagators still call it, and older versions have no default
        public Iterable<String> keys(Map<String, String> written) {
            return written.keySet();
        }

        @Override
        public @Nullable String get(@Nullable Map<String, String> written, String key) {
            return written == null ? null : written.get(key);
        }
    }
}
