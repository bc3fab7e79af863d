package io.fibry.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Threads that repeat something until they are told to end. As a resource it ends them also when the test fails. */
public final class Repetition implements AutoCloseable {
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final List<Thread> threads = new ArrayList<>();

    /** Repeats the step on a thread of its own. */
    public void start(Runnable step) {
        threads.add(Thread.ofPlatform().start(() -> {
            while (!isOver.get()) {
                step.run();
            }
        }));
    }

    /** Ends the threads, and waits until each has finished its last step. */
    public void end() throws InterruptedException {
        isOver.set(true);
        for (var thread : threads) {
            Waits.on(thread);
        }
    }

    /** Ends the threads. The steps that they are at may be finished later. */
    @Override
    public void close() {
        isOver.set(true);
    }
}
