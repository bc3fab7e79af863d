package io.fibry;

/** Thrown if a mailbox or a scope was full, and its policy refused or dropped the message. */
public final class MailboxFullException extends ActorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what happened, to which actor, and what to do
     */
    public MailboxFullException(String message) {
        super(message);
    }
}
