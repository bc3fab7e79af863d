package io.fibry.internal.actor;

/** A node that stands where the one taken last would be: the first that an actor handles, whatever comes then. */
public abstract class FirstNode extends Node {
    @Override
    public final boolean isControl() {
        return true;
    }
}
