package io.fibry.abandon;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.Patience;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** What a handler does that does not end when it is interrupted; and what a test does with it. */
final class Stubborn implements AutoCloseable {
    private final ManualTime time;
    private final Semaphore begun = new Semaphore(0);
    private final Semaphore interrupts = new Semaphore(0);
    private final Semaphore goesOn = new Semaphore(0);
    private final Semaphore ended = new Semaphore(0);

    /** How many timers there are besides. */
    private final int others;

    Stubborn(ManualTime time) {
        this(time, 0);
    }

    Stubborn(ManualTime time, int others) {
        this.time = time;
        this.others = others;
    }

    // ---- By the handler. ----

    /** Does not return before it is released. */
    void stay() {
        begins();
        while (true) {
            try {
                goesOn.acquire();
                return;
            } catch (InterruptedException e) {
                interrupts.release();
            }
        }
    }

    void begins() {
        begun.release();
    }

    void ends() {
        ended.release();
    }

    // ---- By the test. ----

    private static void take(String what, Semaphore from) throws InterruptedException {
        assertThat(from.tryAcquire(Patience.MILLIS, TimeUnit.MILLISECONDS)).as(what).isTrue();
    }

    void awaitBegun() throws InterruptedException {
        take("a handler has begun", begun);
    }

    void awaitInterrupt() throws InterruptedException {
        take("a handler was interrupted", interrupts);
    }

    /** Waits until a handler works, and its time runs. */
    void awaitLimit() throws InterruptedException {
        awaitBegun();
        Waits.until("the limit is set", () -> time.pending() == 1 + others);
    }

    /** Lets the time of a handler be over. Returns when it has been interrupted and the grace runs. */
    void interrupted(Duration limit) throws InterruptedException {
        awaitLimit();
        time.advance(limit);
        awaitInterrupt();
        Waits.until("the grace is set", () -> time.pending() == 1 + others);
    }

    /** The same, and the grace. */
    void abandon(Duration limit, Duration grace) throws InterruptedException {
        interrupted(limit);
        time.advance(grace);
    }

    /** Lets all go on, now and later. */
    void release() {
        goesOn.release(1_000);
    }

    /** Lets one handler go on. */
    void letGo() {
        goesOn.release();
    }

    /** Before the scope is closed, which may wait for a handler by a clock that nobody moves. */
    @Override
    public void close() {
        release();
    }

    /** Waits until what was to end has said so. */
    void awaitEnd() throws InterruptedException {
        take("it has ended", ended);
    }
}
