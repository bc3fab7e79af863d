package io.fibry.internal.handle;

import io.fibry.Actor;
import io.fibry.ActorInterruptedException;
import io.fibry.internal.actor.Cell;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * What {@link Actor#apply} throws. A handler that calls it fails with this exception, unless it catches it. The next
 * caller then gets the reason alone, and not one exception around it for each actor on the way.
 */
@SuppressWarnings("OverrideThrowableToString") // it shows the class that users know
public final class Unanswered extends CompletionException {
    private static final long serialVersionUID = 1;

    private Unanswered(@Nullable Throwable reason) {
        super(reasonOf(reason));
    }

    /** Throws before a message is sent if the calling thread is interrupted. The flag stays set. */
    static void requireNotInterrupted(Cell asked) {
        if (Thread.currentThread().isInterrupted()) {
            throw new ActorInterruptedException(
                    "interrupted before it asked actor '" + asked.name() + "': nothing was sent");
        }
    }

    /** Returns what {@code apply} throws after the send. Sets the interrupt flag again if the wait has cleared it. */
    static RuntimeException because(Exception thrown, Cell asked) {
        if (thrown instanceof InterruptedException) {
            Thread.currentThread().interrupt();
            return new ActorInterruptedException("interrupted while it waited for the answer of actor '"
                    + asked.name() + "': the message was sent");
        }
        return new Unanswered(thrown.getCause());
    }

    /** Returns the reason, if this is such an exception, or else what is given. */
    public static @Nullable Throwable reasonOf(@Nullable Throwable failure) {
        return failure instanceof Unanswered before ? before.getCause() : failure;
    }

    /** Shows the class that users know. */
    @Override
    @SuppressWarnings("OverrideThrowableToString") // the message is that of the class that is shown
    public String toString() {
        return CompletionException.class.getName() + ": " + getLocalizedMessage();
    }
}
