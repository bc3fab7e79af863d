package io.fibry.opentelemetry;

import io.fibry.ActorSystem;
import io.fibry.ScopeBuilder;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.propagation.TextMapPropagator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Lets the context of OpenTelemetry go with messages, without an agent. One line at the beginning of {@code main} does it for the
 * whole program, and one for a scope and the scopes inside it:
 *
 * <pre>{@code
 * ActorSystem.configure(FibryTracing.context()::on);
 *
 * var scope = FibryTracing.spans(openTelemetry).on(ActorSystem.configure("shop")).open();
 * }</pre>
 *
 * <p>The context that is current where a message is sent is current while the message is handled. With {@link #spans}, the
 * handling of a message also has a span of its own, which is the current one: for an ask a child of the span that was current
 * where it was sent; for another message a span in a new trace with a link to that span, or what {@link #tells} chooses. No span
 * is made for a message that was sent where no span was current.
 *
 * <p>A span has the name of the group of the actor: its name up to the first digit, slash or hyphen, or the class of its handler
 * if the actor has no name. It begins when the handler is called and ends when that returns. It has the attributes {@code
 * fibry.actor}, the name of the actor if it was given one, and {@code fibry.kind}, {@code ask} or {@code tell}. If the handler
 * fails, the span has the status {@code ERROR} and the exception.
 *
 * <p>Where actors are shared by the nodes of a cluster, the context goes with messages to other nodes as well, written by the propagator of
 * the given {@code OpenTelemetry}. Without such a one, the headers of W3C are used: trace context and baggage.
 *
 * <p>Messages that a handler takes by {@code receive}, and bodies, have the context and no span. Immutable and
 * thread-safe.
 */
public final class FibryTracing {
    private static final FibryTracing CONTEXT = new FibryTracing(null, TellSpans.NONE, TracingCarrier.W3C);

    private final @Nullable Tracer tracer;
    private final TellSpans tells;
    private final TextMapPropagator propagator;

    private FibryTracing(@Nullable Tracer tracer, TellSpans tells, TextMapPropagator propagator) {
        this.tracer = tracer;
        this.tells = tells;
        this.propagator = propagator;
    }

    /**
     * Returns what lets the context go with messages, and makes no spans.
     *
     * @return the tracing
     */
    public static FibryTracing context() {
        return CONTEXT;
    }

    /**
     * Returns what lets the context go with messages, and makes a span for the handling of each ask, and a linked one for that
     * of each other message.
     *
     * @param openTelemetry makes the spans
     * @return the tracing
     */
    public static FibryTracing spans(OpenTelemetry openTelemetry) {
        var propagator = openTelemetry.getPropagators().getTextMapPropagator();
        return new FibryTracing(openTelemetry.getTracer("io.fibry"), TellSpans.LINKED,
                propagator.fields().isEmpty() ? TracingCarrier.W3C : propagator);
    }

    /**
     * Returns the same with other spans for messages that are no asks.
     *
     * @param spans which spans
     * @return the tracing
     * @throws IllegalStateException if this makes no spans at all, and is to make some
     */
    public FibryTracing tells(TellSpans spans) {
        if (tracer == null && Objects.requireNonNull(spans, "spans") != TellSpans.NONE) {
            throw new IllegalStateException(
                    "FibryTracing.context() makes no spans, so tells cannot have any (" + spans
                            + "): begin with FibryTracing.spans(openTelemetry)");
        }
        return new FibryTracing(tracer, Objects.requireNonNull(spans, "spans"), propagator);
    }

    /**
     * Returns the builder of a scope with this tracing. Give it to a scope once, and not to the scopes inside it.
     *
     * @param scope the builder
     * @return the new builder
     */
    public ScopeBuilder on(ScopeBuilder scope) {
        var carrying = scope.carry(carrier());
        return tracer == null ? carrying : carrying.listener(FailureRecorder.INSTANCE);
    }

    TracingCarrier carrier() {
        return new TracingCarrier(tracer == null ? CapturedContext::new
                : context -> new TracedContext(context, tracer, tells), propagator);
    }

    @Override
    public String toString() {
        return tracer == null ? "FibryTracing[context]" : "FibryTracing[spans, tells " + tells + "]";
    }
}
