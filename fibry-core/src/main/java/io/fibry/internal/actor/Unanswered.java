package io.fibry.internal.actor;

import io.fibry.Actor;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * What {@link Actor#apply} throws. A handler that calls it fails with this exception, unless it catches it. The next caller then
 * gets the reason alone, and not one exception around it for each actor on the way.
 */
public final class Unanswered extends CompletionException {
    private static final long serialVersionUID = 1;

    Unanswered(@Nullable Throwable reason) {
        super(reasonOf(reason));
    }

    /** Returns the reason, if this is such an exception, or else what is given. */
    public static @Nullable Throwable reasonOf(@Nullable Throwable failure) {
        return failure instanceof Unanswered before ? before.getCause() : failure;
    }

    /** Shows the class that users know. */
    @Override
    public String toString() {
        return CompletionException.class.getName() + ": " + getLocalizedMessage();
    }
}
