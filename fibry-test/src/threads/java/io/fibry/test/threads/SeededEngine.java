package io.fibry.test.threads;

import io.fibry.function.Body;
import io.fibry.internal.engine.ScheduledEngine;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * The library under one schedule: its threads, its clock, and what the threads throw. The clock moves to the next timer when
 * nothing else can go on. Used by one thread at a time: the one that runs the schedule, or the one that goes on by it.
 */
public final class SeededEngine {
    private final SeededThreads threads;
    /** Without patience: the schedule itself knows when actors are at rest. */
    private final ManualTime time = new ManualTime(Instant.EPOCH, Duration.ZERO);
    private final List<Failure> failures = new ArrayList<>();
    private int tasks;

    /** The library on these threads. */
    public SeededEngine(SeededThreads threads) {
        this.threads = threads;
    }

    /** What a thread has thrown, and the name that it was started with. */
    public record Failure(String thread, Throwable cause) {
    }

    /** Starts a thread, whose failure is noted. Called before {@link #run}, or by threads of this schedule. */
    public Thread start(String name, Body body) {
        return threads.start(name, noting(name, body));
    }

    /** Makes a thread that belongs to the schedule when it is started, and whose failure is noted. */
    public Thread unstarted(String name, Body body) {
        return threads.unstarted(name, noting(name, body));
    }

    private Runnable noting(String name, Body body) {
        return () -> {
            try {
                body.run();
            } catch (Throwable failure) {
                failures.add(new Failure(name, failure));
            }
        };
    }

    /** Returns an executor that starts a thread for each task, as fibers do. */
    public Executor executor() {
        return task -> start("task-" + tasks++, task::run);
    }

    /** Returns the clock. */
    public ManualTime time() {
        return time;
    }

    /** Returns what threads have thrown, the first one first. */
    public List<Failure> failures() {
        return List.copyOf(failures);
    }

    /** Lets the library run by this schedule while the code runs, which calls {@link #run}. Actors run where their strategies say. */
    public void rule(Runnable code) {
        threads.carryHere();
        ScheduledEngine.begin(threads::pause, executor(), time);
        try {
            code.run();
        } finally {
            ScheduledEngine.end();
        }
    }

    /** The same, and the schedule takes the place of the library's strategies. */
    public void ruleActors(Runnable code) {
        rule(() -> {
            ScheduledEngine.runActorsOn(executor());
            code.run();
        });
    }

    /**
     * Runs all threads until none is left.
     *
     * @return why nothing goes on; empty if all threads have ended
     */
    public Optional<String> run() {
        return threads.run(this::moveClock);
    }

    /** Interrupts the threads that are left until they have ended, or do not end by that. */
    public void endThreads() {
        threads.endThreads(this::moveClock);
    }

    private boolean moveClock() {
        if (time.pending() == 0) {
            return false;
        }
        threads.countMove();
        start("clock", time::advanceToNext);
        return true;
    }
}
