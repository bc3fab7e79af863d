package io.fibry.opentelemetry;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;

/** The span of the message that is being handled, in the context of its handler. A failure belongs to it. */
final class HandlingSpan {
    private static final ContextKey<Span> KEY = ContextKey.named("fibry-handling");

    private HandlingSpan() {
    }

    /** Returns the context of a handler with a span of its own. */
    static Context in(Context sender, Span span) {
        return sender.with(span).with(KEY, span);
    }

    /** Returns the context of a handler without one. The failure of a handler does not belong to the span of its sender. */
    static Context without(Context sender) {
        return sender.get(KEY) == null ? sender : sender.with(KEY, Span.getInvalid());
    }

    /** Returns the span of the message that the calling thread handles; one that records nothing if it has none. */
    static Span current() {
        var span = Context.current().get(KEY);
        return span == null ? Span.getInvalid() : span;
    }
}
