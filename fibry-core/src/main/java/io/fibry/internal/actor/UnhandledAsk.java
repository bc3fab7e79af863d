package io.fibry.internal.actor;

import org.jspecify.annotations.Nullable;

/**
 * Stands in an {@link Answer} in the place of a message that no handler gets: it is lost, or it was a question to the outside of this
 * process and its time was over before the actor that stands for it has looked at it.
 *
 * @param cell the actor in whose mailbox it was
 * @param question the question whose time was over, until the failure names it; null if the message is lost
 */
record UnhandledAsk(Cell cell, @Nullable OutsideQuestion question) {
    boolean isLost() {
        return question == null;
    }
}
