package io.fibry.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorSystem;
import io.fibry.time.Cancellable;
import io.fibry.time.ManualTime;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How often a lane and a turn read the clock, and when they let others run, if each handler takes this long. */
class RunnerClockTest {
    private final Clock clock = new Clock();
    private final List<Integer> passedAfter = new ArrayList<>();
    private int handled;

    /** A time that counts how often it is read. */
    private static final class Clock implements TimeSource {
        private final ManualTime time = new ManualTime();
        private int readings;

        @Override
        public long nanoTime() {
            readings++;
            return time.nanoTime();
        }

        @Override
        public Cancellable schedule(long delayNanos, Runnable task) {
            return time.schedule(delayNanos, task);
        }
    }

    private class Passes implements Handoff, Handoff.Ticket {
        @Override
        public Ticket pass(@Nullable Ticket before) {
            passedAfter.add(handled);
            return this;
        }

        @Override
        public void start(Runner runner, Runnable start) {
            passedAfter.add(handled);
            start.run();
        }

        @Override
        public void end() {
        }
    }

    private record On(Placement placement) implements Placement.Known {
    }

    private void handle(Duration each) {
        handled++;
        clock.time.advance(each);
    }

    /** Runs what is started on threads of its own, one after the other. */
    private static void runAll(ArrayDeque<Runnable> started) throws InterruptedException {
        for (var next = started.poll(); next != null; next = started.poll()) {
            Thread.ofVirtual().start(next).join();
        }
    }

    private void run(boolean inRing, int handlers, Duration each) throws InterruptedException {
        var started = new ArrayDeque<Runnable>();
        var lanes = new Lanes(started::add, clock, true, new Passes(), 1);
        try (var scope = ActorSystem.configure("clock").time(clock)
                .strategy(new On(Placement.onFibers(lanes, new Passes()))).open()) {
            var others = new ArrayList<Actor<Integer, Void>>();
            for (var i = 0; i < (inRing ? 2 : 1); i++) {
                var index = i;
                others.add(scope.anonymous().newActor((Integer left) -> {
                    handle(each);
                    if (left > 1) {
                        others.get(inRing ? 1 - index : 0).sendMessage(left - 1);
                    }
                }));
            }
            clock.readings = 0;
            others.getFirst().sendMessage(handlers);
            runAll(started);
            assertThat(handled).isEqualTo(handlers);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void othersRunAfterEachHandlerThatTakesMoreThanAMillisecond(boolean inRing) throws InterruptedException {
        run(inRing, 20, Duration.ofNanos(1_100_000));
        assertThat(passedAfter).hasSizeGreaterThanOrEqualTo(16);
        assertThat(passedAfter.getFirst()).isLessThanOrEqualTo(4);
    }

    /** Ten fill a millisecond, and the first reading may come late. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void othersRunInTimeBesideHandlersThatTakeATenth(boolean inRing) throws InterruptedException {
        run(inRing, 200, Duration.ofNanos(100_000));
        var before = 0;
        for (var each : passedAfter) {
            assertThat(each - before).isBetween(1, 24);
            before = each;
        }
        assertThat(200 - before).isLessThan(24);
    }

    /** The lanes of the timer thread begin last: the senders alone see to the rest. */
    @Test
    void theRestOfATurnStartsBeforeTheNextJobFromOutside() throws InterruptedException {
        var started = new ArrayDeque<Runnable>();
        var late = new ArrayDeque<Runnable>();
        var handoff = new Passes() {
            @Override
            public void start(Runner runner, Runnable start) {
                late.add(start);
            }
        };
        var lanes = new Lanes(started::add, clock, true, handoff, 1);
        try (var scope = ActorSystem.configure("rests").time(clock)
                .strategy(new On(Placement.onFibers(lanes, handoff))).open()) {
            var order = new ArrayList<String>();
            Actor<Integer, Void> busy = scope.anonymous().newActor((Integer n) -> {
                handle(Duration.ofMillis(2));
                order.add("busy " + n);
            });
            Actor<Integer, Void> other = scope.anonymous().newActor((Integer n) -> order.add("other " + n));
            for (int n = 1; n <= 3; n++) {
                busy.sendMessage(n);
            }
            runAll(started);
            var left = List.copyOf(order);
            for (int n = 1; n <= 3; n++) {
                other.sendMessage(n);
                runAll(started);
            }
            var inTime = List.copyOf(order);
            late.forEach(Runnable::run);
            runAll(started);
            assertThat(left).hasSizeLessThan(3).startsWith("busy 1");
            assertThat(inTime).containsSubsequence("busy " + (left.size() + 1), "other 1")
                    .filteredOn(what -> what.startsWith("busy"))
                    .containsExactly("busy 1", "busy 2", "busy 3");
        }
    }

    /** As the code does that works off late answers: nothing has read the clock before. */
    @Test
    void aRunnerWhoseClockWasNotStartedYieldsFirst() {
        var runner = new Runner(Thread.currentThread());
        clock.time.advance(Duration.ofHours(1));
        assertThat(runner.hasToPass(clock)).isFalse();
        clock.time.advance(Duration.ofNanos(1_000_001));
        assertThat(runner.hasToPass(clock)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theClockIsSeldomReadBesideShortHandlers(boolean inRing) throws InterruptedException {
        run(inRing, 6_400, Duration.ofNanos(100));
        assertThat(clock.readings).isLessThan(6_400 / 10);
    }

    /** 64 of them take longer than what makes one a long handler. */
    @Test
    void theClockIsSeldomReadBesideHandlersOfAMicrosecond() throws InterruptedException {
        run(true, 6_400, Duration.ofNanos(1_000));
        assertThat(clock.readings).isLessThan(6_400 / 20);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void handlersThatWereLongAreShortAgain(boolean inRing) throws InterruptedException {
        run(inRing, 100, Duration.ofMillis(1));
        handled = 0;
        run(inRing, 6_400, Duration.ofNanos(100));
        assertThat(clock.readings).isLessThan(6_400 / 10);
    }
}
