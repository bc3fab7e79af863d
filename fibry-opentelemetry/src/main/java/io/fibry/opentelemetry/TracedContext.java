package io.fibry.opentelemetry;

import io.fibry.ContextCarrier.Captured;
import io.fibry.ContextCarrier.Handling;
import io.fibry.measure.MeasureOptions;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;

/** The context of a sender, which becomes the parent of a span. */
record TracedContext(Context context, Tracer tracer, TellSpans tells) implements Captured {
    private static final AttributeKey<String> ACTOR = AttributeKey.stringKey("fibry.actor");
    private static final AttributeKey<String> KIND = AttributeKey.stringKey("fibry.kind");
    private static final int LONGEST_NAME = 200;

    @Override
    @SuppressWarnings("MustBeClosedChecker") // the engine runs what is returned after the handler
    public Runnable restore() {
        return HandlingSpan.without(context).makeCurrent()::close;
    }

    @Override
    @SuppressWarnings("MustBeClosedChecker") // as above
    public Runnable restore(Handling handling) {
        var sender = Span.fromContext(context);
        if (!sender.getSpanContext().isValid() || !(handling.isAsk() || tells != TellSpans.NONE)) {
            return restore();
        }
        var span = spanOf(handling, sender);
        return new Handled(HandlingSpan.in(context, span).makeCurrent(), span);
    }

    private Span spanOf(Handling handling, Span sender) {
        var builder =
                tracer.spanBuilder(
                        shortened(MeasureOptions.BY_NAME.apply(handling.handler(), handling.actor())))
                        .setAttribute(KIND, handling.isAsk() ? "ask" : "tell");
        handling.actor().ifPresent(name -> builder.setAttribute(ACTOR, shortened(name)));
        if (handling.isAsk() || tells == TellSpans.CHILD) {
            builder.setParent(context);
        } else {
            builder.setParent(context.with(Span.getInvalid())).addLink(sender.getSpanContext());
        }
        return builder.startSpan();
    }

    private static String shortened(String name) {
        return name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME);
    }

    private record Handled(Scope scope, Span span) implements Runnable {
        @Override
        public void run() {
            try {
                scope.close();
            } finally {
                span.end();
            }
        }
    }
}
