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

    private static final TextMapGetter<Map<String, String>> GETTER =
            (written, key) -> written == null ? null : written.get(key);

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
        return captured.apply(propagator.extract(Context.root(), written, GETTER));
    }
}
