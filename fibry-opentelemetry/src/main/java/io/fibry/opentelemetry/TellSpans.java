package io.fibry.opentelemetry;

/** The spans of messages that are sent without an ask. */
public enum TellSpans {
    /** There is none. What the handler does belongs to the span of the sender, which may have ended. */
    NONE,
    /** A span in a new trace, with a link to the span of the sender. */
    LINKED,
    /** A child of the span of the sender, in its trace. It may begin, and end, after its parent has ended. */
    CHILD
}
