package io.fibry.internal.layer;

import io.fibry.internal.actor.Layer;

/** The layer of an actor whose handler or body receives messages itself, in the middle of a turn. It puts nothing around it. */
public enum ReceivingLayer implements Layer {
    INSTANCE;

    /** A handler that waits for a message must not hold up the one below it, which may be the sender. */
    @Override
    public boolean mayRunOnTop() {
        return false;
    }

    @Override
    public boolean mayRunOnCaller() {
        return false;
    }
}
