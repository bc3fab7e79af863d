package io.fibry.work;

import io.fibry.ActorException;

/** Thrown if there are as many {@link Receipts} as there may be, and all of their work runs. */
public final class ReceiptsFullException extends ActorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message which receipts, how many there are, and what to do
     */
    public ReceiptsFullException(String message) {
        super(message);
    }
}
