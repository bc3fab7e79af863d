package io.fibry.testing;

import io.fibry.StopReport;
import io.fibry.internal.clock.SystemTime;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Stops by force. The second after the interrupt, which is one of the system's clock, does not pass: what is interrupted
 * has all the time it needs to end, and one that does not end is found however slow the machine is.
 */
public final class Forced {
    private static final Duration DEADLINE = Duration.ofMillis(10);

    private Forced() {
    }

    /** The same while no virtual thread gets to run until the stop is forced, those of the engine included. */
    public static StopReport stopUnseen(ManualTime time, Function<Duration, StopReport> stop)
            throws Exception {
        var system = new ManualTime();
        var report = new CompletableFuture<StopReport>();
        SystemTime.standIn(system);
        try {
            BusyCarriers.during(() -> {
                Thread.ofPlatform().daemon().name("stopper")
                        .start(() -> report.complete(stop.apply(DEADLINE)));
                Waits.until("its deadline is set", () -> isNear(time));
                time.advance(DEADLINE);
                Waits.until("it is forced, and the second after that is set", () -> system.pending() > 0);
            });
            return Waits.on(report);
        } finally {
            SystemTime.standIn(null);
        }
    }

    private static boolean isNear(ManualTime time) {
        return time.pending() > 0 && time.nanosToNext() <= DEADLINE.toNanos();
    }

    /** By a stop whose scope goes by that time, and has no other timer that is due as soon. */
    public static StopReport stop(ManualTime time, Function<Duration, StopReport> stop) throws Exception {
        return stop(() -> {
            var report = Aside.run(() -> stop.apply(DEADLINE));
            Waits.until("its deadline is set",
                    () -> report.isDone() || isNear(time));
            time.advance(DEADLINE);
            return Waits.on(report);
        });
    }

    /** By a stop whose deadline passes by itself, or is zero. */
    public static StopReport stop(Callable<StopReport> stop) throws Exception {
        SystemTime.standIn(new ManualTime());
        try {
            return stop.call();
        } finally {
            SystemTime.standIn(null);
        }
    }
}
