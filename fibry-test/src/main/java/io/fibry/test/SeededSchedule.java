package io.fibry.test;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.ScopeBuilder;
import io.fibry.function.Body;
import io.fibry.test.threads.SeededEngine;
import io.fibry.test.threads.SeededThreads;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** A schedule that its seed decides. Its threads run one at a time, so what they share needs no lock. */
final class SeededSchedule implements PlayedSchedule {
    private static final int MOST_FRAMES = 12;

    private final long seed;
    private final SeededThreads threads;
    private final SplittableRandom random;
    private final SeededEngine engine;
    private Optional<ActorScope> scope = Optional.empty();

    SeededSchedule(long seed) {
        this.seed = seed;
        threads = new SeededThreads(seed);
        engine = new SeededEngine(threads);
        random = threads.random().split();
    }

    @Override
    public void play(Body program, String replay) {
        Schedules.ENGINE.lock();
        try {
            Schedules.played = Optional.of(this);
            engine.ruleActors(() -> playRuled(program, replay));
        } finally {
            threads.end();
            Schedules.played = Optional.empty();
            Schedules.ENGINE.unlock();
        }
    }

    private void playRuled(Body program, String replay) {
        var stuck = runAll(program);
        var found = engine.failures().stream().map(SeededEngine.Failure::cause).toList();
        if (stuck.isPresent() || !found.isEmpty()) {
            endAll();
            throw ScheduleFailedError.of(seed, found, stuck.orElse(""),
                    "replay it: -D" + Seeds.PROPERTY + "=" + seed + ", or " + replay);
        }
    }

    @Override
    public boolean isOnItsThread() {
        return threads.areRunningHere();
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
        engine.endThreads();
        scope.ifPresent(open -> {
            start("closing", () -> open.stop(Duration.ZERO));
            engine.run();
            engine.endThreads();
        });
    }

    private Optional<String> runThreads(String when) {
        return engine.run()
                .map(reason -> when + reason + "; "
                        + threads.describe(MOST_FRAMES, SeededSchedule::isOfProgram) + "\n"
                        + scope.map(ActorScope::dump).orElseGet(ActorSystem.root()::dump).text());
    }

    /** The frames of the JDK and of the library tell little. */
    private static boolean isOfProgram(StackTraceElement frame) {
        var name = frame.getClassName();
        return !"java.base".equals(frame.getModuleName()) && !name.startsWith("io.fibry.internal.")
                && !name.startsWith(SeededThreads.class.getPackageName()) && !name.startsWith("org.junit.")
                && !name.equals(TestSchedule.class.getName())
                && !name.startsWith(TestSchedule.class.getName() + ".");
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
        return ActorSystem.configure(name).time(engine.time()).random(random.split());
    }

    @Override
    public ManualTime time() {
        return engine.time();
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public Thread start(String name, Body body) {
        return engine.start(Objects.requireNonNull(name, "name"), Objects.requireNonNull(body, "body"));
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
    public void move(Duration duration) {
        if (!duration.isZero()) {
            threads.countMove();
        }
        engine.time().advance(duration);
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
