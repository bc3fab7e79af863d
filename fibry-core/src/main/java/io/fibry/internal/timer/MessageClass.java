package io.fibry.internal.timer;

import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Node;
import io.fibry.internal.report.ContentClass;
import org.jspecify.annotations.Nullable;

/** The class of the message in an entry of a mailbox, be it sent or the message of a timer. */
public final class MessageClass {
    private MessageClass() {
    }

    /** Returns the class; null if the entry belongs to the engine, or if its message was taken back. */
    public static @Nullable Class<?> of(Object entry) {
        if (!(entry instanceof Node node)) {
            return ContentClass.of(entry);
        }
        if (node instanceof TickNode tick) {
            return ContentClass.of(tick.timer().message);
        }
        var content = node instanceof MessageNode message ? message.content() : null;
        return content == null ? null : ContentClass.of(content);
    }
}
