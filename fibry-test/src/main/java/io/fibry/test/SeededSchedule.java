package io.fibry.test;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.ScopeBuilder;
import io.fibry.function.Body;
import io.fibry.internal.engine.ScheduledEngine;
import io.fibry.test.threads.SeededThreads;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** A schedule that its seed decides. Its threads run one at a time, so what they share needs no lock. */
final class SeededSchedule implements PlayedSchedule {
    private static final int MOST_FRAMES = 12;

    /** The schedule that has the engine; empty while none is played. */
    private static volatile Optional<SeededSchedule> played = Optional.empty();

    private final long seed;
    private final SeededThreads threads;
    private final SplittableRandom random;
    /** Without patience: the schedule itself knows when actors are at rest. */
    private final ManualTime time = new ManualTime(Instant.EPOCH, Duration.ZERO);
    private final List<Throwable> failures = new ArrayList<>();
    private Optional<ActorScope> scope = Optional.empty();

    SeededSchedule(long seed) {
        this.seed = seed;
        threads = new SeededThreads(seed);
        random = threads.random().split();
    }

    @Override
    public void play(Body program, String replay) {
        Schedules.ENGINE.lock();
        try {
            played = Optional.of(this);
            ScheduledEngine.begin(threads::pause, threads.executor(), time);
            try {
                var stuck = runAll(program);
                if (stuck.isPresent() || !failures.isEmpty()) {
                    var found = List.copyOf(failures);
                    endAll();
                    throw ScheduleFailedError.of(seed, found, stuck.orElse(""),
                            "replay it: -D" + Seeds.PROPERTY + "=" + seed + ", or " + replay);
                }
            } finally {
                ScheduledEngine.end();
                threads.end();
            }
        } finally {
            played = Optional.empty();
            Schedules.ENGINE.unlock();
        }
    }

    /** Tells whether the calling thread goes on by a schedule, which moves the clock. */
    static boolean isOnItsThread() {
        return played.isPresent() && played.get().threads.areRunningHere();
    }

    /** Runs the program and closes its scope; returns why nothing goes on, if so. */
    private Optional<String> runAll(Body program) {
        start("test", program);
        var stuck = runThreads("");
        if (stuck.isEmpty() && scope.isPresent()) {
            start("closing", scope.get()::close);
            stuck = runThreads("while the scope of the schedule was closed, ");
        }
        return stuck;
    }

    /** Ends what is left of a program that has failed; what its threads throw now tells nothing. */
    private void endAll() {
        threads.endThreads(this::moveClock);
        scope.ifPresent(open -> {
            start("closing", () -> open.stop(Duration.ZERO));
            threads.run(this::moveClock);
            threads.endThreads(this::moveClock);
        });
    }

    private Optional<String> runThreads(String when) {
        return threads.run(this::moveClock)
                .map(reason -> when + reason + "; "
                        + threads.describe(MOST_FRAMES, SeededSchedule::isOfProgram) + "\n"
                        + scope.map(ActorScope::dump).orElseGet(ActorSystem::dump).text());
    }

    /** The frames of the JDK and of the library tell little. */
    private static boolean isOfProgram(StackTraceElement frame) {
        var name = frame.getClassName();
        return !"java.base".equals(frame.getModuleName()) && !name.startsWith("io.fibry.internal.")
                && !name.startsWith(SeededThreads.class.getName()) && !name.startsWith("org.junit.")
                && !name.equals(TestSchedule.class.getName())
                && !name.startsWith(TestSchedule.class.getName() + ".");
    }

    private boolean moveClock() {
        if (time.pending() == 0) {
            return false;
        }
        threads.countMove();
        threads.start("clock", SeededThreads.guarded(time::advanceToNext, failures::add));
        return true;
    }

    @Override
    public long seed() {
        return seed;
    }

    @Override
    public boolean isControlled() {
        return true;
    }

    @Override
    public ActorScope scope() {
        if (scope.isEmpty()) {
            scope = Optional.of(configure("test").open());
        }
        return scope.get();
    }

    @Override
    public ScopeBuilder configure(String name) {
        return ActorScope.configure(name).time(time).random(random.split());
    }

    @Override
    public ManualTime time() {
        return time;
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public Thread start(String name, Body body) {
        return threads.start(Objects.requireNonNull(name, "name"),
                SeededThreads.guarded(Objects.requireNonNull(body, "body"), failures::add));
    }

    @Override
    public void pause() {
        threads.pause();
    }

    @Override
    public <T> T paused(Class<T> type, T object) {
        return PausedView.of(this, type, object);
    }

    @Override
    public void advance(Duration duration) throws InterruptedException {
        if (Objects.requireNonNull(duration, "duration").isNegative()) {
            throw new IllegalArgumentException("duration must not be negative: " + duration);
        }
        var end = time.nanoTime() + duration.toNanos();
        threads.awaitQuiet();
        for (var next = time.nanosToNext(); next <= end - time.nanoTime(); next = time.nanosToNext()) {
            threads.countMove();
            time.advance(Duration.ofNanos(next));
            threads.awaitQuiet();
        }
        time.advance(Duration.ofNanos(Math.max(0, end - time.nanoTime())));
    }

    @Override
    public void awaitQuiet() throws InterruptedException {
        threads.awaitQuiet();
    }

    @Override
    public String toString() {
        return "TestSchedule[seed: " + seed + "]";
    }
}
