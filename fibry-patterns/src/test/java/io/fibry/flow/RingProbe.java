package io.fibry.flow;

import org.jspecify.annotations.Nullable;

/** The rings of a generator without its actors, for a scenario. */
public final class RingProbe {
    private final RingReader<int[]> reader;

    /** @param wakeUp is called if the consumer has left; null if it waits */
    public RingProbe(int producers, int capacity, @Nullable Runnable wakeUp) {
        reader = new RingReader<>("ring", producers, capacity, wakeUp);
    }

    /** Sets what runs at the marks of the rings. */
    public static void marks(Runnable hook) {
        Marks.hook(hook);
    }

    public void put(int producer, int[] value) {
        reader.rings().get(producer).put(value);
    }

    public void end(int producer) {
        reader.rings().get(producer).end();
    }

    public boolean isFull(int producer) {
        return reader.rings().get(producer).isFull();
    }

    public boolean hasGrown(int producer) {
        return reader.rings().get(producer).hasGrown();
    }

    public @Nullable Throwable failure() {
        return reader.look().failure();
    }

    public boolean isWaitedFor() {
        return reader.isWaiting();
    }

    public boolean hasNext() {
        return reader.hasNext();
    }

    public int @Nullable [] take() {
        return reader.take();
    }

    public int @Nullable [] poll() {
        return reader.poll();
    }

    public boolean isOver() {
        return reader.isOver() && !reader.hasValue();
    }

    public boolean arm() {
        return reader.arm();
    }

    public void cancel() {
        reader.cancel();
    }

    public void fail(Throwable failure) {
        reader.fail(failure);
    }
}
