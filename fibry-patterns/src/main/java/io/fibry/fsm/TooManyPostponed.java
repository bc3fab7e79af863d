package io.fibry.fsm;

/**
 * What a machine does with an event that is to be postponed, if as many events are postponed as its options allow. The listeners of
 * the machine hear of each event that it loses.
 */
public enum TooManyPostponed {
    /**
     * The event fails with an {@link IllegalStateException}, as if an action had thrown it: it is reported, and the failure
     * policy of the machine's actor decides what follows.
     */
    FAIL,
    /**
     * The event is given up, and an {@link IllegalStateException} is reported to the listeners of the scope, as a failure
     * of an actor without a name. The failure policy of the machine is not asked. The future of a caller fails with this
     * exception.
     */
    REFUSE,
    /**
     * The event that was postponed first is dropped: it is counted and reported as a message that was dropped, and the future
     * of a caller fails with a {@link io.fibry.MailboxFullException}. The new event is postponed.
     */
    DROP_OLDEST
}
