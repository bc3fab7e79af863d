package io.fibry.internal.actor;

import org.jspecify.annotations.Nullable;

/** Keeps the fields of the consumer, which follow, out of the cache line of {@link ChunkIndex#index}. */
public abstract class ChunkBack extends ChunkIndex {
    int q0; // fills a gap that would otherwise take a field of a subclass
    long q1;
    long q2;
    long q3;
    long q4;
    long q5;
    long q6;
    long q7;
    long q8;

    public ChunkBack(@Nullable Object[] slots) {
        super(slots);
    }
}
