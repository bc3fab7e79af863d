package io.fibry.internal.clock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The wheel alone, moved by hand. */
class LimitWheelTest {
    private static final long TICK = 1 << 18;
    private static final long MOST_WAKEUPS = 200_000;

    private final NewLimits fresh = new NewLimits(1);
    private long now = Long.MAX_VALUE - TimeUnit.HOURS.toNanos(1); // soon it overflows
    private final LimitWheel wheel = new LimitWheel(fresh, now);

    private final class Mine implements Limited {
        final long due;
        boolean isOver;
        boolean isCancelled;
        @Nullable Limit limit;

        Mine(long nanos) {
            due = now + nanos;
            limit = new Limit(this);
            fresh.add(limit);
        }

        @Override
        public long due() {
            return due;
        }

        @Override
        public void expire() {
            assertThat(isOver || isCancelled).isFalse();
            assertThat(now - due).isNotNegative();
            isOver = true;
        }

        void cancel() {
            var mine = limit;
            if (mine != null && mine.take() != null) {
                fresh.count(-1);
                isCancelled = true;
            }
        }
    }

    private void work() {
        wheel.lookAtNew();
        do {
            wheel.step(now);
        } while (!wheel.isIdle());
    }

    /** Wakes as the timer thread does, until it is a time. */
    private void sleepUntil(long end) {
        var wakeups = 0;
        while (!wheel.isEmpty() && wheel.next() - end < 0) {
            assertThat(wheel.next() - now).isPositive();
            now = wheel.next();
            work();
            assertThat(++wakeups).isLessThan((int) MOST_WAKEUPS);
        }
        now = end;
        work();
    }

    @Test
    void eachLimitEndsInItsTickOrIsCancelled() {
        var lengths = List.of(TICK / 3, TICK, 20 * TICK, 1023 * TICK, 1024 * TICK, 1025 * TICK, 2048 * TICK,
                5000 * TICK, 1_050_000 * TICK, TimeUnit.HOURS.toNanos(5), TimeUnit.DAYS.toNanos(400));
        for (int seed = 0; seed < 200; seed++) {
            var random = new SplittableRandom(seed);
            var all = new ArrayList<Mine>();
            for (int round = 0; round < 60; round++) {
                for (int i = random.nextInt(10); i > 0; i--) {
                    all.add(new Mine(1 + random.nextLong(lengths.get(random.nextInt(lengths.size())))));
                }
                if (!all.isEmpty() && random.nextInt(3) == 0) {
                    all.get(random.nextInt(all.size())).cancel();
                }
                work();
                sleepUntil(now + random.nextLong(lengths.get(random.nextInt(lengths.size() - 3))));
                var late = now - TICK;
                assertThat(all).allMatch(each -> each.isOver || each.isCancelled || each.due - late > 0);
            }
            all.forEach(Mine::cancel);
            work();
            assertThat(fresh.set()).isZero();
            while (!wheel.isEmpty()) {
                now = wheel.next();
                work();
            }
        }
    }

    @Test
    void aLimitThatIsLookedAtTooLateEndsAtOnce() {
        var random = new SplittableRandom(7);
        for (int round = 0; round < 200; round++) {
            var all = new ArrayList<Mine>();
            for (int i = 0; i < 20; i++) {
                all.add(new Mine(random.nextLong(TimeUnit.HOURS.toNanos(3))));
            }
            work();
            now += random.nextLong(TimeUnit.HOURS.toNanos(4));
            work();
            assertThat(all).allMatch(each -> each.isOver == (each.due - now <= 0));
            now += TimeUnit.HOURS.toNanos(4);
            work();
            assertThat(all).allMatch(each -> each.isOver);
            assertThat(wheel.isEmpty()).isTrue();
        }
    }

    @Test
    void whatIsCancelledIsSwept() {
        var inFlight = 500;
        var most = 0;
        var last = new ArrayList<Mine>();
        for (int i = 0; i < 600_000; i++) {
            last.add(new Mine(TimeUnit.SECONDS.toNanos(10)));
            if (last.size() == inFlight) {
                work(); // all of them get into the wheel
                last.forEach(Mine::cancel);
                last.clear();
                now += 500_000;
                most = Math.max(most, wheel.size());
            }
        }
        assertThat(most).isGreaterThan(inFlight).isLessThan(20_000);
        work();
        sleepUntil(now + TimeUnit.SECONDS.toNanos(11));
        assertThat(wheel.size()).isZero();
    }

    /** A user's timer waits for one slice. */
    @Test
    void aSliceIsShortHoweverMuchThereIsToDo() {
        var all = new ArrayList<Mine>();
        for (int i = 0; i < 10_000; i++) {
            all.add(new Mine(TICK));
        }
        work();
        now += 3 * TICK;
        var before = 0L;
        while (before < all.size()) {
            assertThat(wheel.step(now)).isTrue();
            var after = all.stream().filter(each -> each.isOver).count();
            assertThat(after - before).isBetween(1L, 16L);
            before = after;
        }
    }

    @Test
    void aLimitIsWatchedUntilItIsOver() {
        var first = new Mine(TimeUnit.MINUTES.toNanos(1));
        var second = new Mine(TimeUnit.MINUTES.toNanos(2));
        work();
        assertThat(wheel.watch()).isTrue();
        first.cancel();
        work();
        assertThat(wheel.watch()).isTrue();
        second.cancel();
        assertThat(wheel.watch()).isFalse();
        work();
        assertThat(wheel.isEmpty()).isTrue();
    }
}
