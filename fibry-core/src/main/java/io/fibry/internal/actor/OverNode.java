package io.fibry.internal.actor;

import org.jspecify.annotations.Nullable;

/**
 * What is left in a slot of a chunk when an ask, or code, is over before its turn. It has no state and is shared by all
 * mailboxes, so what is over and still waits to be counted takes no more memory than its slot.
 */
final class OverNode extends Node {
    static final Node INSTANCE = new OverNode();

    private OverNode() {
    }

    @Override
    public void handle(Turn turn) {
        // mutant: ask-that-has-left-its-slot-is-not-counted
        turn.expired();
    }

    @Override
    public @Nullable Object content() {
        return null;
    }

    @Override
    public boolean isOver() {
        return true;
    }
}
