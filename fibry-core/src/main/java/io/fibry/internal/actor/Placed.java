package io.fibry.internal.actor;

/** What has become of a message that was asked, which is in no mailbox any more: its reply was deferred, it is lost, or its time was over before. */
interface Placed {
    /** Returns the actor that was asked. */
    Cell cell();
}
