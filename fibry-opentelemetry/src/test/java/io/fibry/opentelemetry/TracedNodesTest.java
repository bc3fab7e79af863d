package io.fibry.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.Recipient;
import io.fibry.cluster.Cluster;
import io.fibry.cluster.ClusterGroup;
import io.fibry.cluster.ClusterOptions;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.context.propagation.TextMapSetter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Spans on nodes of a cluster. Each node has an exporter of its own. */
class TracedNodesTest {
    private static final ClusterGroup<Integer, Integer, String> GROUP =
            ClusterGroup.of("shop", Integer.class, Integer.class, String.class, key -> key);

    private final MemoryNetwork network = new MemoryNetwork();
    private final Traced a = new Traced();
    private final Traced b = new Traced();

    private static final class Traced {
        final InMemorySpanExporter exporter = InMemorySpanExporter.create();
        final SdkTracerProvider provider =
                SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(exporter)).build();
        final OpenTelemetry telemetry = OpenTelemetrySdk.builder().setTracerProvider(provider).build();

        /** Returns the only span of the node, once there is one. */
        SpanData span() {
            Waits.until("a span", () -> !exporter.getFinishedSpanItems().isEmpty());
            assertThat(exporter.getFinishedSpanItems()).hasSize(1);
            return exporter.getFinishedSpanItems().getFirst();
        }
    }

    @AfterEach
    void end() {
        a.provider.close();
        b.provider.close();
    }

    private static ActorScope open(String name, FibryTracing tracing) {
        return tracing.on(ActorSystem.configure(name)).open();
    }

    private void share(ActorScope scope, Cluster cluster) {
        cluster.share(GROUP, scope.named("shop").keyed(GROUP.keyOf()).idle(Duration.ofMinutes(1))
                .newActorsWithReturnFrom(key -> (self, message) -> {
                    var baggage = Baggage.current().getEntryValue("user");
                    return Span.current().getSpanContext().getTraceId() + " " + baggage;
                }));
    }

    /** Two nodes, of which the second handles what the first sends within a span. */
    private void onTwoNodes(Function<Traced, FibryTracing> tracing,
            Function<Recipient<Integer, String>, Object> code)
            throws Exception {
        try (var first = open("a", tracing.apply(a));
                var second = open("b", tracing.apply(b));
                var sending = Cluster.open(first, ClusterOptions.on("a", network.node()).slices(8));
                var handling = Cluster.open(second, ClusterOptions.on("b", network.node()).slices(8))) {
            share(second, handling);
            var shop = sending.reach(GROUP);
            var request = a.telemetry.getTracer("test").spanBuilder("request").startSpan();
            var context = Context.current().with(request)
                    .with(Baggage.builder().put("user", "ann").build());
            var sent = context.wrapSupplier(() -> code.apply(shop)).get();
            if (sent instanceof CompletableFuture<?> answer) {
                assertThat(Waits.on(answer)).isEqualTo(request.getSpanContext().getTraceId() + " ann");
            }
            request.end();
        }
    }

    @Promise("56.1")
    @Test
    void theSpanOfAnAskOnAnotherNodeIsAChild() throws Exception {
        onTwoNodes(node -> FibryTracing.spans(node.telemetry), shop -> shop.sendMessageReturn(1));
        var request = a.span();
        var handled = b.span();
        assertThat(handled.getParentSpanId()).isEqualTo(request.getSpanId());
        assertThat(handled.getTraceId()).isEqualTo(request.getTraceId());
        assertThat(handled.getParentSpanContext().isRemote()).isTrue();
    }

    @Promise("56.1")
    @Test
    void theSpanOfATellOnAnotherNodeHasALink() throws Exception {
        onTwoNodes(node -> FibryTracing.spans(node.telemetry), shop -> {
            assertThat(shop.sendMessage(1)).isTrue();
            return b.span();
        });
        var request = a.span();
        var handled = b.span();
        assertThat(handled.getParentSpanContext().isValid()).isFalse();
        assertThat(handled.getTraceId()).isNotEqualTo(request.getTraceId());
        assertThat(handled.getLinks()).singleElement().satisfies(
                link -> assertThat(link.getSpanContext().getSpanId()).isEqualTo(request.getSpanId()));
    }

    @Promise("56.1")
    @Test
    void theContextAloneCrossesAsWell() throws Exception {
        onTwoNodes(node -> FibryTracing.context(), shop -> shop.sendMessageReturn(1));
        assertThat(b.exporter.getFinishedSpanItems()).isEmpty();
    }

    @Promise("56.1")
    @Test
    void thePropagatorIsThatOfTheGivenOpenTelemetry() {
        var telemetry = OpenTelemetrySdk.builder()
                .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance())).build();
        var span = SpanContext.create("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331",
                TraceFlags.getSampled(), TraceState.getDefault());
        var context = Context.root().with(Span.wrap(span)).with(Baggage.builder().put("user", "ann").build());
        var headers = context.wrapSupplier(() -> FibryTracing.spans(telemetry).carrier().write()).get();
        assertThat(headers).containsOnlyKeys("traceparent");
        assertThat(context.wrapSupplier(() -> FibryTracing.context().carrier().write()).get())
                .containsOnlyKeys("traceparent", "baggage");
        assertThat(FibryTracing.context().carrier().write()).isEmpty();
    }

    /** Writes baggage with a name of its own for each entry, as the propagator of Jaeger does. */
    private enum Prefixed implements TextMapPropagator {
        PROPAGATOR;

        private static final String PREFIX = "baggage-";

        @Override
        public Collection<String> fields() {
            return List.of("any");
        }

        @Override
        public <C> void inject(Context context, C carrier, TextMapSetter<C> setter) {
            Baggage.fromContext(context)
                    .forEach((key, entry) -> setter.set(carrier, PREFIX + key, entry.getValue()));
        }

        @Override
        @SuppressWarnings("deprecation") // as in the propagator of Jaeger
        public <C> Context extract(Context context, C carrier, TextMapGetter<C> getter) {
            var baggage = Baggage.builder();
            for (var key : getter.keys(carrier)) {
                baggage.put(key.substring(PREFIX.length()), getter.get(carrier, key));
            }
            return context.with(baggage.build());
        }
    }

    @Promise("56.1")
    @Test
    void aPropagatorMayLookForTheHeadersThatThereAre() {
        var carrier =
                FibryTracing.spans(OpenTelemetry.propagating(ContextPropagators.create(Prefixed.PROPAGATOR)))
                        .carrier();
        var context = Context.root().with(Baggage.builder().put("user", "ann").build());
        var restored = carrier.read(context.wrapSupplier(carrier::write).get()).restore();
        try {
            assertThat(Baggage.current().getEntryValue("user")).isEqualTo("ann");
        } finally {
            restored.run();
        }
    }
}
