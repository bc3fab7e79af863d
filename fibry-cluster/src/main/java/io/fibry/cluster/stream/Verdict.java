package io.fibry.cluster.stream;

/** What the receiver of an item has done with it. */
public enum Verdict {
    /** It is in the mailbox for which it was meant. */
    TAKEN(0),
    /** Nothing was done with it, and nothing will be: the sender may send it elsewhere. */
    RETURNED(1),
    /** The actor has stopped. */
    STOPPED(2),
    /** The mailbox is full. */
    FULL(3),
    /** The bytes are not those of a message that the receiver knows. */
    NOT_UNDERSTOOD(4);

    /** Its number in a frame, which never changes. */
    final byte code;

    Verdict(int code) {
        this.code = (byte) code;
    }
}
