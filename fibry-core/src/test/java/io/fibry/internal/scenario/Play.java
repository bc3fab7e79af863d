package io.fibry.internal.scenario;

import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.function.Body;
import io.fibry.internal.engine.EngineProbe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** One scenario with one seed. All of it runs on one thread at a time, so nothing here is synchronised. */
final class Play {
    static final Duration MILLI = Duration.ofMillis(1);

    final SeededScheduler schedule;
    final SplittableRandom random;
    final Ledger ledger = new Ledger(this);
    final ActorScope scope;
    final CreationStrategy strategy;
    private final Consumer<String> sightings;
    private final List<String> wrong = new ArrayList<>();
    private final List<Runnable> restChecks = new ArrayList<>();

    Play(long seed, Consumer<String> sightings) {
        this.sightings = sightings;
        schedule = new SeededScheduler(seed);
        random = schedule.random();
        strategy = aStrategy();
        scope = ActorSystem.configure("play").listener(ledger).time(schedule.time()).strategy(strategy)
                .open();
    }

    private CreationStrategy aStrategy() {
        var threads = schedule.executor();
        Executor twice = turn -> {
            threads.execute(turn);
            threads.execute(turn);
        };
        return switch (random.nextInt(10)) {
            case 0 -> EngineProbe.poolOn(threads);
            case 1 -> EngineProbe.fibersOn(twice);
            case 2 -> CreationStrategy.of(threads);
            case 3 -> CreationStrategy.caller();
            case 4, 5, 6 -> lanes(this::pause);
            default -> EngineProbe.fibersOn(threads);
        };
    }

    /** Fibers with lanes; {@code beforeAndAfter} each look at them. */
    CreationStrategy lanes(Runnable beforeAndAfter) {
        return EngineProbe.lanesOn(schedule.executor(), schedule.time(), beforeAndAfter);
    }

    /** A strategy that runs no turn on the thread that starts it. */
    CreationStrategy elsewhere() {
        var threads = schedule.executor();
        return switch (random.nextInt(10)) {
            case 0, 1, 2 -> EngineProbe.poolOn(threads);
            case 3, 4, 5 -> EngineProbe.fibersOn(threads);
            default -> lanes(this::pause);
        };
    }

    /** Plays a scenario to its end and closes the scope; throws if anything was not as it must be. */
    void play(Scenario scenario) {
        scenario.play(this);
        schedule.run();
        restChecks.forEach(Runnable::run);
        schedule.spawn("closer", () -> {
            // One after another: a scope's own order is none, and one seed is to be one schedule.
            ledger.subjects.forEach(subject -> subject.actor().close());
            scope.close();
        });
        schedule.run();
        ledger.check();
        check(EngineProbe.footprint(scope) == 0, "the scope still knows something");
        check(schedule.time().pending() == 0, "timers are left");
        if (!wrong.isEmpty()) {
            throw new AssertionError(String.join("\n  ", wrong) + "\n  trace: " + schedule.trace());
        }
    }

    /** What a scenario checks when nothing happens any more, before the scope is closed. */
    void atRest(Runnable check) {
        restChecks.add(check);
    }

    void spawn(String name, Body body) {
        schedule.spawn(name, body);
    }

    /** Lets other threads come in between. */
    void pause() {
        schedule.pause();
    }

    boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    int upTo(int most) {
        return 1 + random.nextInt(most);
    }

    void saw(String what) {
        sightings.accept(what);
    }

    void check(boolean right, String otherwise) {
        if (!right) {
            wrong.add(otherwise);
        }
    }

    ActorBuilder anonymous() {
        return scope.anonymous();
    }

    /** Starts a thread that sends some messages. */
    void sender(String name, int messages, Subject subject) {
        spawn(name, () -> {
            for (int i = 0; i < messages; i++) {
                pause();
                subject.send(new Msg(name, i));
            }
            check(!Thread.interrupted(), "an interrupt reached the thread of " + name);
        });
    }

    /**
     * Looks at each half of a millisecond until the check returns false, at most fifty times: nothing else can go on then, and
     * all timers of a scenario that calls this take whole milliseconds. No other thread may move the clock.
     */
    void whenQuiet(BooleanSupplier check) {
        spawn("auditor", () -> {
            var milli = MILLI.toNanos();
            boolean isOn = true;
            for (int looks = 50; isOn && looks > 0; looks--) {
                var moment = new Semaphore(0);
                var past = Math.floorMod(schedule.time().nanoTime() - milli / 2, milli);
                schedule.time().schedule(milli - past, moment::release);
                moment.acquire();
                isOn = check.getAsBoolean();
            }
        });
    }

    /** Starts threads that do something several times, each time after a pause. Each of them runs {@code end} at its end. */
    void repeat(String name, int threads, int rounds, Body step, Runnable end) {
        for (int i = 0; i < threads; i++) {
            spawn(name + i, () -> {
                try {
                    for (int n = 0; n < rounds; n++) {
                        pause();
                        step.run();
                    }
                } finally {
                    end.run();
                }
            });
        }
    }

    /** Sleeps for a millisecond, during which all threads come to where they wait. */
    void rest() throws InterruptedException {
        var over = new Semaphore(0);
        var timer = schedule.time().schedule(MILLI.toNanos(), over::release);
        try {
            over.acquire();
        } finally {
            timer.cancel();
        }
    }

    /** Starts a thread that moves the clock by some milliseconds. */
    void clock(int millis) {
        spawn("mover", () -> {
            for (int i = 0; i < millis; i++) {
                pause();
                schedule.time().advance(MILLI);
            }
        });
    }
}
