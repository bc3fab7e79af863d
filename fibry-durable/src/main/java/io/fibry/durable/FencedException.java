package io.fibry.durable;

import io.fibry.ActorException;

/**
 * Says that another writer has written to the log of this key. Nothing of the turn was written. The actor reads its state
 * again before its next message, so the message may be sent again.
 */
public final class FencedException extends ActorException {
    private static final long serialVersionUID = 1L;

    FencedException(String text) {
        super(text);
    }
}
