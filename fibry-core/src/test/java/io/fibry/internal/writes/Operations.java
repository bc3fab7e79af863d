package io.fibry.internal.writes;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.internal.clock.Limited;
import io.fibry.internal.clock.LimitsProbe;
import io.fibry.internal.engine.EngineProbe;
import io.fibry.internal.writes.WriteLog.Write;
import io.fibry.test.threads.SeededThreads;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the engine does all the time, done many times under a schedule in which a thread goes on until it waits. Loaded by
 * a {@link CountingLoader}.
 */
public final class Operations {
    /** How often each operation is done. */
    public static final int TIMES = 1_024;
    /** The name of the thread that belongs to no actor. */
    public static final String SENDER = "sender";
    /** The name of the thread of timers. */
    public static final String TIMER = "timer";
    private static final Object MESSAGE = new Object();

    private final SeededThreads threads;
    private final ManualTime time = new ManualTime(Instant.EPOCH, Duration.ZERO);
    private List<Write> writes = List.of();
    private @Nullable Throwable failure;
    private int tasks;

    private Operations(long seed) {
        threads = new SeededThreads(seed);
    }

    /** Does one of them under the schedule of a seed. Returns the writes of all times, but those of threads outside. */
    public static List<Write> writes(String operation, long seed) {
        var doing = new Operations(seed);
        doing.start(SENDER, () -> doing.operate(operation));
        var stuck = doing.threads.run(doing::moveClock);
        doing.threads.end();
        if (doing.failure != null) {
            throw new AssertionError(operation, doing.failure);
        }
        stuck.ifPresent(why -> {
            throw new AssertionError(operation + ": " + why + doing.threads.describe(20, frame -> true));
        });
        // The system's timer thread waits in real time.
        return doing.writes.stream().filter(write -> write.thread().isVirtual()).toList();
    }

    private boolean moveClock() {
        if (time.pending() == 0) {
            return false;
        }
        threads.countMove();
        start("clock", time::advanceToNext);
        return true;
    }

    private interface Step {
        void run() throws Exception;
    }

    private Thread start(String name, Step step) {
        return threads.start(name, () -> {
            try {
                step.run();
            } catch (Throwable thrown) {
                failure = thrown;
            }
        });
    }

    private CreationStrategy strategy() {
        return EngineProbe.lanesOn(task -> start("lane-" + tasks++, task::run), time);
    }

    private ActorBuilder actors() {
        return ActorSystem.anonymous().strategy(strategy());
    }

    private void operate(String operation) throws Exception {
        switch (operation) {
            case "tell, idle" -> tellIdle(actors());
            case "tell, idle, in a scope" -> inScope(this::tellIdle);
            case "tell, busy" -> inScope(this::tellBusy);
            case "tell, busy, bounded" -> inScope(actors -> tellBusy(
                    actors.mailbox(MailboxPolicy.bounded(2 * TIMES, OverflowPolicy.block()))));
            case "hop" -> inScope(this::hop);
            case "ask" -> inScope(actors -> ask(actors, false));
            case "ask, waiting with a limit" -> inScope(actors -> ask(actors, true));
            case "ask from outside" -> inScope(this::askFromOutside);
            case "displaced turn" -> inScope(this::displaced);
            case "timer, cancelled" -> timersCancelled();
            case "timer, fired" -> timersFired();
            case "limit, cancelled" -> limitsCancelled();
            default -> throw new AssertionError("no operation " + operation);
        }
    }

    /** Does it once before it counts, so that classes are loaded and what is made once is there. */
    private void count(Step times) throws Exception {
        times.run();
        threads.awaitQuiet();
        WriteLog.begin();
        times.run();
        threads.awaitQuiet();
        writes = WriteLog.end();
    }

    private interface On {
        void operate(ActorBuilder actors) throws Exception;
    }

    private void inScope(On operation) throws Exception {
        try (var scope = ActorSystem.configure("counted").strategy(strategy()).time(time).open()) {
            operation.operate(scope.anonymous());
        }
    }

    private void tellIdle(ActorBuilder actors) throws Exception {
        var actor = actors.newActor(message -> {
        });
        count(() -> {
            for (int i = 0; i < TIMES; i++) {
                actor.sendMessage(MESSAGE);
                threads.awaitQuiet();
            }
        });
        actor.close();
    }

    private void tellBusy(ActorBuilder actors) throws Exception {
        var mayGo = new Semaphore(0);
        var actor = actors.newActor(message -> {
            if (message instanceof Semaphore gate) {
                gate.acquire();
            }
        });
        count(() -> {
            actor.sendMessage(mayGo);
            threads.awaitQuiet();
            for (int i = 0; i < TIMES; i++) {
                actor.sendMessage(MESSAGE);
            }
            mayGo.release();
        });
        actor.close();
    }

    /** A message that two actors hand to each other. */
    private void hop(ActorBuilder builder) throws Exception {
        var others = new ArrayList<Actor<Integer, Void>>();
        for (int i = 0; i < 2; i++) {
            var other = 1 - i;
            others.add(builder.newActor((Integer left) -> {
                if (left > 0) {
                    others.get(other).sendMessage(left - 1);
                }
            }));
        }
        count(() -> others.getFirst().sendMessage(TIMES));
        others.forEach(Actor::close);
    }

    private void ask(ActorBuilder builder, boolean hasLimit) throws Exception {
        var asked = builder.newActorWithReturn((Integer number) -> number + 1);
        var asker = builder.newActor((Integer times) -> {
            for (int i = 0; i < times; i++) {
                var answer = asked.sendMessageReturn(i);
                var number = hasLimit ? answer.get(1, TimeUnit.HOURS) : answer.get();
                if (number != i + 1) {
                    throw new AssertionError(number);
                }
            }
        });
        count(() -> asker.sendMessage(TIMES));
        asker.close();
        asked.close();
    }

    private void askFromOutside(ActorBuilder builder) throws Exception {
        var asked = builder.newActorWithReturn((Integer number) -> number + 1);
        count(() -> {
            for (int i = 0; i < TIMES; i++) {
                asked.sendMessageReturn(i).get();
            }
        });
        asked.close();
    }

    /** A handler that tells many idle actors: each takes the place of the one before in the slot of the lane. */
    private void displaced(ActorBuilder builder) throws Exception {
        var told = new ArrayList<Actor<Object, Void>>();
        for (int i = 0; i < TIMES; i++) {
            told.add(builder.newActor(message -> {
            }));
        }
        var teller = builder.newActor(message -> told.forEach(each -> each.sendMessage(message)));
        count(() -> teller.sendMessage(MESSAGE));
        teller.close();
        told.forEach(Actor::close);
    }

    private LimitsProbe timers() {
        return new LimitsProbe(time, task -> threads.unstarted(TIMER, task),
                TimeUnit.MILLISECONDS.toNanos(20));
    }

    private void timersCancelled() throws Exception {
        var timers = timers();
        var last = timers.timer(TimeUnit.HOURS.toNanos(1), () -> {
        });
        count(() -> {
            for (int i = 0; i < TIMES; i++) {
                timers.timer(TimeUnit.HOURS.toNanos(2), () -> {
                }).run();
            }
        });
        last.run();
    }

    private void timersFired() throws Exception {
        var timers = timers();
        var fired = new int[1];
        count(() -> {
            fired[0] = 0;
            for (int i = 0; i < TIMES; i++) {
                timers.timer(TimeUnit.MILLISECONDS.toNanos(1), () -> fired[0]++);
            }
            BooleanSupplier all = () -> fired[0] == TIMES;
            while (!all.getAsBoolean()) {
                time.advance(Duration.ofMillis(1));
                threads.awaitQuiet();
            }
        });
    }

    private record Hour() implements Limited {
        @Override
        public long due() {
            return TimeUnit.HOURS.toNanos(1);
        }

        @Override
        public void expire() {
            throw new AssertionError("it was cancelled");
        }
    }

    private void limitsCancelled() throws Exception {
        var timers = timers();
        var last = timers.set(new Hour());
        count(() -> {
            for (int i = 0; i < TIMES; i++) {
                timers.cancel(timers.set(new Hour()));
            }
        });
        timers.cancel(last);
    }
}
