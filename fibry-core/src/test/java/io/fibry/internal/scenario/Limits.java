package io.fibry.internal.scenario;

import io.fibry.internal.clock.Limit;
import io.fibry.internal.clock.Limited;
import io.fibry.internal.clock.LimitsProbe;
import io.fibry.internal.deadline.LineProbe;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Threads set limits, cancel some of them, and wait for the others. The timer thread comes, sleeps and ends meanwhile. What
 * is over is handed to a fiber, as late answers are.
 */
final class Limits implements Scenario {
    private static final long KEEP_ALIVE_NANOS = Play.MILLI.toNanos() * 5;
    /** How much later than its time a limit may end: one tick, since no other thing takes time here. */
    private static final long TICK_NANOS = 1 << 18;
    private static final List<Long> LONG_NANOS = List.of(TimeUnit.MILLISECONDS.toNanos(30),
            TimeUnit.MILLISECONDS.toNanos(700), TimeUnit.HOURS.toNanos(1));

    @Override
    public String name() {
        return "limits";
    }

    @Override
    public List<String> sometimes() {
        return List.of("cancelled in time", "cancelled too late", "expired", "expired after long",
                "the timer thread ended", "cancelled after long", "a timer");
    }

    /** One play. */
    private static final class Clock {
        final Play play;
        final LimitsProbe limits;
        final LineProbe<Mine> line;
        long lastChange;
        int atWork;

        Clock(Play play) {
            this.play = play;
            limits = new LimitsProbe(play.schedule.time(),
                    work -> play.schedule.unstarted("timers", () -> {
                        work.run();
                        play.saw("the timer thread ended");
                        play.check(now() - lastChange <= 2 * KEEP_ALIVE_NANOS + TICK_NANOS,
                                "the timer thread stayed for " + (now() - lastChange));
                    }), KEEP_ALIVE_NANOS);
            line = new LineProbe<>(play.schedule.executor(), mine -> {
                play.check(++atWork == 1, "two are at work");
                play.pause();
                mine.isDone = true;
                LockSupport.unpark(mine.owner);
                atWork--;
            });
        }

        long now() {
            return play.schedule.time().nanoTime();
        }

        void changed() {
            lastChange = now();
        }

        void sleep(long nanos) {
            var self = Thread.currentThread();
            var end = now() + nanos;
            play.schedule.time().schedule(nanos, () -> LockSupport.unpark(self));
            while (now() < end) {
                LockSupport.park();
            }
        }
    }

    /** A limit of one of the threads. */
    private static final class Mine implements Limited {
        final Clock clock;
        final Thread owner = Thread.currentThread();
        final long due;
        @Nullable Limit limit;
        boolean isCancelled;
        boolean isOver;
        boolean isDone;

        Mine(Clock clock, long nanos) {
            this.clock = clock;
            due = clock.now() + nanos;
        }

        @Override
        public long due() {
            return due;
        }

        @Override
        public void expire() {
            var late = clock.now() - due;
            clock.play.check(late >= 0, "too early by " + -late);
            clock.play.check(late <= TICK_NANOS, "too late by " + late);
            clock.play.check(!isCancelled && !isOver, "expired although it was over");
            isOver = true;
            clock.changed();
            clock.line.add(this);
        }
    }

    @Override
    public void play(Play play) {
        var clock = new Clock(play);
        for (int i = 0; i < 3; i++) {
            play.spawn("asker" + i, () -> {
                for (int n = 0; n < 4; n++) {
                    ask(clock);
                }
            });
        }
        if (play.chance(30)) {
            play.spawn("user", () -> {
                clock.changed();
                var cancel = clock.limits.timer(play.random.nextLong(3 * KEEP_ALIVE_NANOS), () -> {
                    clock.changed();
                    play.saw("a timer");
                });
                if (play.chance(30)) {
                    cancel.run();
                }
            });
        }
    }

    private static void ask(Clock clock) {
        var play = clock.play;
        if (play.chance(30)) {
            clock.sleep(KEEP_ALIVE_NANOS); // the timer thread is about to end then
        } else {
            play.pause();
        }
        var isLong = play.chance(30);
        var mine = new Mine(clock, isLong
                ? LONG_NANOS.get(play.random.nextInt(LONG_NANOS.size()))
                : play.random.nextInt(5) * Play.MILLI.toNanos() / 2);
        clock.changed();
        var limit = clock.limits.set(mine);
        if (play.chance(50)) {
            if (isLong && play.chance(50)) {
                clock.sleep(play.random.nextLong(4 * KEEP_ALIVE_NANOS));
            } else if (play.chance(30)) {
                clock.sleep(Math.max(0, mine.due - clock.now() + play.random.nextLong(2 * TICK_NANOS)));
            } else {
                play.pause();
            }
            clock.changed();
            mine.isCancelled = clock.limits.cancel(limit);
            play.check(mine.isCancelled || mine.isOver || play.schedule.time().nanoTime() >= mine.due,
                    "not cancelled in time");
            play.saw(!mine.isCancelled ? "cancelled too late" : isLong ? "cancelled after long"
                    : "cancelled in time");
        }
        if (!mine.isCancelled) {
            while (!mine.isDone) {
                LockSupport.park();
            }
            play.saw(isLong ? "expired after long" : "expired");
        }
    }
}
