package io.fibry.testing;

import io.fibry.StopReport;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Stops by force. The deadline passes by hand, and with it stands the clock: what is interrupted then has all the time
 * it needs to end, and one that does not end is found however slow the machine is.
 */
public final class Forced {
    private static final Duration DEADLINE = Duration.ofMillis(10);

    private Forced() {
    }

    /**
     * The same while no virtual thread gets to run until the stop is forced, those of the engine included. How much of the second
     * that follows is left then depends on the machine, so the report may call an actor stuck that ends.
     */
    public static void stopUnseen(ManualTime time, Function<Duration, StopReport> stop) throws Exception {
        var done = new CompletableFuture<StopReport>();
        BusyCarriers.during(() -> {
            var stopper = Thread.ofPlatform().daemon().name("stopper")
                    .start(() -> done.complete(stop.apply(DEADLINE)));
            Waits.until("its deadline is set", () -> isNear(time));
            time.advance(DEADLINE);
            // The second is one of the system's clock, and all waits before it are not.
            Waits.until("it is forced",
                    () -> done.isDone() || stopper.getState() == Thread.State.TIMED_WAITING);
        });
        Waits.on(done);
    }

    private static boolean isNear(ManualTime time) {
        return time.pending() > 0 && time.nanosToNext() <= DEADLINE.toNanos();
    }

    /** By a stop whose scope goes by that time, and has no other timer that is due as soon. */
    public static StopReport stop(ManualTime time, Function<Duration, StopReport> stop) throws Exception {
        var report = Aside.run(() -> stop.apply(DEADLINE));
        Waits.until("its deadline is set",
                () -> report.isDone() || isNear(time));
        time.advance(DEADLINE);
        return Waits.on(report);
    }
}
