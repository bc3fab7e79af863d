package io.fibry.internal.report;

import io.fibry.message.Envelope;

/** The class that texts and events name for a message: that of its content, if the message is an {@link Envelope}. */
public final class ContentClass {
    private ContentClass() {
    }

    public static Class<?> of(Object message) {
        if (message instanceof Envelope envelope) {
            try {
                return envelope.content().getClass();
            } catch (Throwable unreadable) {
                // The class of the envelope is named instead.
            }
        }
        return message.getClass();
    }

    public static String nameOf(Object message) {
        return ClassName.of(of(message));
    }
}
