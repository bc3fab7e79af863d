package io.fibry.internal.actor;

/**
 * What a behavior returns for a message with which it has not finished: neither a result nor a failure. The node of
 * the message compares what the behavior returns with this, once, and the message has no fate yet. A message whose reply
 * was deferred is finished: the turn knows of the reply.
 */
public enum Unfinished {
    /** The message is put aside. The actor handles it, or loses it, later. */
    KEPT
}
