package io.fibry.internal.actor;

/**
 * What a behaviour returns for a message with which it has not finished: neither a result nor a failure. The node of
 * the message compares what the behaviour returns with these, once, and the message has no fate yet.
 */
public enum Unfinished {
    /** The handler has taken the answer away, and completes it later. */
    DEFERRED,
    /** The message is put aside. The actor handles it, or loses it, later. */
    KEPT
}
