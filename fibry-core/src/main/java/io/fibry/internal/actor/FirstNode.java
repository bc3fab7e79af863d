package io.fibry.internal.actor;

/**
 * The first node that an actor handles. It stands where the node taken last would be, so the nodes that are
 * sent come after it.
 */
public abstract class FirstNode extends Node {
    @Override
    public final boolean isControl() {
        return true;
    }
}
