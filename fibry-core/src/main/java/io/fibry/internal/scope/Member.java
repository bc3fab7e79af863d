package io.fibry.internal.scope;

import io.fibry.internal.actor.Cell;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

/**
 * The entry of an actor in the list of its scope. The reference is weak, so that an actor without other references is
 * garbage, unless the actor has something to do at its end: then the entry {@linkplain Held holds} it.
 */
class Member extends WeakReference<Cell> {
    /** The identity hash of the actor, which is asked for once more when the actor has been collected. */
    final int hash;

    Member(Cell cell, ReferenceQueue<Cell> collected, int hash) {
        super(cell, collected);
        this.hash = hash;
    }

    /** Returns the position among the actors of the scope where tests need an order; zero in programs. */
    int number() {
        return 0;
    }

    /** The entry of an actor in a test. In programs there may be millions of entries, without this field. */
    static final class Numbered extends Member {
        private final int number;

        Numbered(Cell cell, ReferenceQueue<Cell> collected, int hash, int number) {
            super(cell, collected, hash);
            this.number = number;
        }

        @Override
        int number() {
            return number;
        }
    }

    /** The entry of an actor that is not to be collected. */
    static final class Held extends Member {
        @SuppressWarnings({"unused", "FieldCanBeLocal"}) // it keeps the actor from being collected
        private final Cell cell;
        private final int number;

        Held(Cell cell, ReferenceQueue<Cell> collected, int hash, int number) {
            super(cell, collected, hash);
            this.cell = cell;
            this.number = number;
        }

        @Override
        int number() {
            return number;
        }
    }
}
