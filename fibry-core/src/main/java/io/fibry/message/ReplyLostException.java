package io.fibry.message;

import io.fibry.ActorException;
import org.jspecify.annotations.Nullable;

/**
 * An ask has failed because its reply was {@linkplain DeferredReply deferred} and then lost: nothing referred to it any
 * more, or the actor was restarted.
 */
public final class ReplyLostException extends ActorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what happened, to which actor, and what to do
     * @param cause why the actor was restarted, if it was
     */
    public ReplyLostException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
