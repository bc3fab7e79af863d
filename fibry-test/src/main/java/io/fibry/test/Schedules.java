package io.fibry.test;

import io.fibry.internal.engine.ScheduledEngine;
import io.fibry.test.threads.SeededThreads;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/** Chooses the kind of schedules that this JVM allows. */
final class Schedules {
    /** Held while a schedule runs: it has the engine of the JVM. */
    static final ReentrantLock ENGINE = new ReentrantLock();

    /** The schedule that has it; empty while none does. Written under the lock. */
    static volatile Optional<PlayedSchedule> played = Optional.empty();

    private static final AtomicBoolean HAS_TOLD = new AtomicBoolean();

    private Schedules() {
    }

    static PlayedSchedule of(long seed) {
        var missing = new ArrayList<String>();
        if (!SeededThreads.isPossible()) {
            missing.add("--add-opens java.base/java.lang=" + moduleName());
        }
        if (!Schedules.class.desiredAssertionStatus()) {
            missing.add("-ea");
        } else if (!ScheduledEngine.isPossible()) {
            missing.add("-Dio.fibry.interleave=true");
        }
        if (missing.isEmpty()) {
            return new SeededSchedule(seed);
        }
        var reason = "start the JVM with " + String.join(" ", missing);
        if (!HAS_TOLD.getAndSet(true)) {
            System.Logger.Level level = System.Logger.Level.WARNING;
            System.getLogger("io.fibry.test").log(level,
                    "schedules are not controlled in this JVM, so tests run on real threads"
                            + " that pause at random, and no seed replays a failure: " + reason);
        }
        return new PerturbedSchedule(seed, reason);
    }

    private static String moduleName() {
        var module = Schedules.class.getModule();
        return module.isNamed() ? module.getName() : "ALL-UNNAMED";
    }
}
