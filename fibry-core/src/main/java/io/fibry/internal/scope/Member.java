package io.fibry.internal.scope;

import io.fibry.internal.actor.Cell;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * The entry of an actor in the list of its scope. The reference is weak, so that an actor without other references
 * is garbage, unless the actor has something to do at its end.
 */
final class Member extends WeakReference<Cell> {
    private final int hash;
    private volatile @Nullable Cell held;

    Member(Cell cell, ReferenceQueue<Cell> collected, int hash) {
        super(cell, collected);
        this.hash = hash;
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    void holdOn(Cell cell) {
        held = cell;
    }
}
