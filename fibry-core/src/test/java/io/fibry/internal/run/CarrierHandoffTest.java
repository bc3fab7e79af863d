package io.fibry.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.mailbox.UnboundedCell;
import io.fibry.internal.scope.Builder;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.time.Cancellable;
import io.fibry.time.ManualTime;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Which threads run where there is one carrier. The test moves the time, and so is the timer thread. */
class CarrierHandoffTest {
    private final ManualTime time = new ManualTime();
    private final CarrierHandoff handoff = new CarrierHandoff(time, 1);
    private final List<String> started = new ArrayList<>();

    /** A runner whose thread this handoff starts. */
    private Runner start(String name) {
        var runner = new Runner(null);
        handoff.start(runner, () -> started.add(name));
        time.advance(Duration.ofNanos(10_000));
        return runner;
    }

    /** A virtual thread that gives its carrier away as often as it is allowed to. */
    private final class Passing {
        final Semaphore mayPass = new Semaphore(0);
        final Semaphore hasPassed = new Semaphore(0);
        final AtomicBoolean isInterrupted = new AtomicBoolean();
        final Thread thread = Thread.ofVirtual().start(this::run);

        private void run() {
            var runner = new Runner(Thread.currentThread());
            for (mayPass.acquireUninterruptibly(); mayPass.availablePermits() < Integer.MAX_VALUE
                    / 2; mayPass.acquireUninterruptibly()) {
                runner.pass(handoff);
                isInterrupted.set(Thread.currentThread().isInterrupted());
                hasPassed.release();
            }
            runner.end();
        }

        /** It parks, and 10 microseconds pass. */
        void passes() {
            mayPass.release();
            Patience.spin("it has set its timer", () -> time.pending() > 0);
            Patience.spin("it parks", () -> LockSupport.getBlocker(thread) == handoff);
            time.advance(Duration.ofNanos(10_000));
        }

        /** The timer may look more than once before the thread has parked. */
        void goesOn() {
            Patience.spin("it goes on", () -> {
                time.advance(Duration.ofNanos(10_000));
                return hasPassed.tryAcquire();
            });
        }

        void ends() throws InterruptedException {
            mayPass.release(Integer.MAX_VALUE - 1);
            thread.join();
            time.advance(Duration.ofNanos(10_000));
        }
    }

    @Test
    void noMoreThreadsRunThanThereAreCarriers() {
        var first = start("first");
        var second = start("second");
        start("third");
        assertThat(started).containsExactly("first");
        first.end();
        time.advance(Duration.ofNanos(10_000));
        assertThat(started).containsExactly("first", "second");
        second.end();
        time.advance(Duration.ofNanos(10_000));
        assertThat(started).containsExactly("first", "second", "third");
    }

    /** Otherwise the next one would be in the queue before the carrier has found it empty, and looks at the others. */
    @Test
    void aThreadThatIsAboutToEndHasTheCarrierStill() throws InterruptedException {
        var first = start("first");
        var ending = new Semaphore(0);
        first.thread = Thread.ofVirtual().start(ending::acquireUninterruptibly);
        Patience.spin("it waits", () -> first.thread.getState() == Thread.State.WAITING);
        first.end();
        time.advance(Duration.ofNanos(10_000));
        assertThat(time.pending()).as("the end is looked for").isEqualTo(1);
        ending.release();
        first.thread.join();
        start("second");
        time.advance(Duration.ofNanos(10_000));
        assertThat(started).containsExactly("first", "second");
        assertThat(time.pending()).isZero();
    }

    /** What it was rehearsed with is not kept either: the handoff lives as long as the process. */
    @Promise("13.4")
    @Test
    void aRehearsalOfTheMonitorTakesNoCarrier() {
        try (var scope = ActorSystem.open("rehearsal")) {
            var cell = new UnboundedCell<>(((Builder) scope.anonymous()).spec(), (turn, message) -> message);
            new Lanes(lane -> {
            }, time, true, handoff, 1).rehearse(new Turn(cell, new MessageNode("hello")));
        }
        time.advance(Duration.ofNanos(10_000));
        start("next");
        assertThat(started).containsExactly("next");
    }

    @Test
    void aThreadThatIsBlockedDoesNotCount() throws InterruptedException {
        var first = start("first");
        var blocked = Thread.ofVirtual().start(LockSupport::park);
        Patience.spin("it is parked", () -> blocked.getState() == Thread.State.WAITING);
        start("second");
        assertThat(started).containsExactly("first");
        first.thread = blocked;
        time.advance(Duration.ofMillis(1));
        assertThat(started).containsExactly("first", "second");
        LockSupport.unpark(blocked);
        blocked.join();
    }

    @Test
    void aThreadThatDoesNotComeBackDoesNotCountForEver() {
        start("first").thread = Thread.currentThread();
        start("second");
        time.advance(Duration.ofMillis(19));
        assertThat(started).containsExactly("first");
        time.advance(Duration.ofMillis(2));
        assertThat(started).containsExactly("first", "second");
    }

    @Test
    void noTimerIsLeftWhenNoThreadWaits() {
        start("first");
        assertThat(time.pending()).isZero();
        var second = start("second");
        assertThat(time.pending()).isEqualTo(1);
        time.advance(Duration.ofMillis(50));
        assertThat(started).containsExactly("first", "second");
        assertThat(time.pending()).isZero();
        second.end();
        time.advance(Duration.ofNanos(10_000));
        assertThat(time.pending()).isZero();
    }

    /** The timer thread may have taken the processor from the carrier just when it was about to look at other queues. */
    @Test
    void aThreadThatHasJustParkedIsLookedAtOnceMore() throws InterruptedException {
        var passing = new Passing();
        passing.mayPass.release();
        Patience.spin("it has set its timer", () -> time.pending() > 0);
        Patience.spin("it is parked", () -> LockSupport.getBlocker(passing.thread) == handoff
                && passing.thread.getState() == Thread.State.WAITING);
        time.advance(Duration.ofNanos(10_000));
        assertThat(time.pending()).as("looks at it once more").isEqualTo(1);
        assertThat(passing.hasPassed.availablePermits()).isZero();
        passing.goesOn();
        passing.ends();
    }

    /** The place that a thread was started with is given up when the thread gives its carrier away. */
    @Test
    void aThreadThatPassesLetsOthersRun() throws InterruptedException {
        var first = start("first");
        start("second");
        var passing = Thread.ofVirtual().start(() -> first.pass(handoff));
        Patience.spin("it has set its timer", () -> time.pending() > 1);
        Patience.spin("it parks", () -> passing.getState() == Thread.State.WAITING);
        time.advance(Duration.ofNanos(10_000));
        assertThat(started).containsExactly("first", "second");
        assertThat(passing.getState()).as("the carrier is the second one's").isEqualTo(Thread.State.WAITING);
        time.advance(Duration.ofMillis(22));
        passing.join();
    }

    /** It had too little stack to park, after it had set its timer. */
    @Test
    void aThreadThatHasEndedWithoutParkingLeavesNothing() throws InterruptedException {
        var tooDeep = new CarrierHandoff(new TimeSource() {
            @Override
            public long nanoTime() {
                return time.nanoTime();
            }

            @Override
            public Cancellable schedule(long delayNanos, Runnable task) {
                var set = time.schedule(delayNanos, task);
                if (Thread.currentThread().isVirtual()) {
                    throw new StackOverflowError("too little to park");
                }
                return set;
            }
        }, 1);
        var failure = new CompletableFuture<Throwable>();
        Thread.ofVirtual().start(() -> {
            try {
                tooDeep.pass(null);
            } catch (StackOverflowError expected) {
                failure.complete(expected);
            }
        }).join();
        assertThat(failure).isDone();
        assertThat(time.pending()).isEqualTo(1);
        time.advance(Duration.ofMillis(30));
        assertThat(time.pending()).isZero();
        tooDeep.start(new Runner(null), () -> started.add("next"));
        time.advance(Duration.ofNanos(10_000));
        assertThat(started).containsExactly("next");
    }

    @Test
    void anInterruptIsKept() throws InterruptedException {
        var first = start("first");
        var passing = new Passing();
        passing.passes();
        passing.thread.interrupt();
        first.end();
        time.advance(Duration.ofNanos(10_000));
        passing.goesOn();
        assertThat(passing.isInterrupted).isTrue();
        passing.ends();
    }
}
