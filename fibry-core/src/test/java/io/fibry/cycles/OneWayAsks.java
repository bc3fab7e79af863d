package io.fibry.cycles;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
import io.fibry.AskCycleException;
import io.fibry.AskTimeoutException;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.event.ActorEvent;
import io.fibry.event.Restarted;
import io.fibry.function.Body;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Rounds of actors with numbers, for a JVM of its own. A handler asks only actors with larger numbers, and so does a factory
 * that makes a handler anew: no wait can close a circle. Exit hooks do the same in every second round. In the others they
 * ask any actor, since nobody waits for an actor whose mailbox is closed. A message that nobody waits for goes to any actor.
 * Meanwhile actors fail and are stopped.
 *
 * <p>The seed of a round decides what is done in it, but not in which order threads do it. The arguments are the first seed,
 * the number of rounds, and the number of rounds that have the same seed.
 */
final class OneWayAsks {
    private static final int ACTORS = 6;
    /** In so many rounds everything is seen that must be seen. */
    private static final int ENOUGH = 1_000;
    private static final Duration SHORT = Duration.ofMillis(2);
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final List<String> MUST_BE_SEEN = List.of("asked on top", "asked elsewhere",
            "a hook asked", "a new handler asked", "Integer", "OnPurpose", "ActorStoppedException",
            "AskTimeoutException", "restarted", "stopped by force");

    private static final Map<String, LongAdder> SEEN = new ConcurrentHashMap<>();

    private final SplittableRandom random;
    private final SplittableRandom[] randoms = new SplittableRandom[ACTORS];
    private final boolean[] onCallers = new boolean[ACTORS];
    private final List<Actor<Note, Integer>> actors = new ArrayList<>();
    private final Queue<CompletableFuture<Integer>> answers = new ConcurrentLinkedQueue<>();
    private final Queue<Throwable> wrong = new ConcurrentLinkedQueue<>();
    private final AtomicInteger offered = new AtomicInteger();
    private final AtomicInteger returned = new AtomicInteger();
    private final AtomicInteger threw = new AtomicInteger();
    private final boolean hooksAskAll;
    /** Handlers are interrupted. Then nobody knows whether an ask that is one call has sent its message. */
    private final boolean stopsByForce;

    /** How many asks it leads to in a row, and the thread that waits for the answer, if one does. */
    private record Note(int asks, @Nullable Thread sender) {
    }

    private static final class OnPurpose extends RuntimeException {
        private static final long serialVersionUID = 1;

        OnPurpose() {
            super("on purpose", null, false, false);
        }
    }

    private OneWayAsks(long seed) {
        random = new SplittableRandom(seed);
        hooksAskAll = seed % 2 == 0;
        stopsByForce = random.nextInt(4) == 0;
    }

    public static void main(String[] arguments) throws Exception {
        var first = Long.parseLong(arguments[0]);
        var rounds = Long.parseLong(arguments[1]);
        var ofOneSeed = Long.parseLong(arguments[2]);
        var failed = 0;
        for (long i = 0; i < rounds; i++) {
            var seed = first + i / ofOneSeed;
            var round = new OneWayAsks(seed);
            round.play();
            if (!round.wrong.isEmpty()) {
                failed++;
                System.out.println("seed " + seed
                        + " fails; its round again: -Dtest=OneWayAsksTest -Dfibry.seed=" + seed);
                round.wrong.forEach(failure -> failure.printStackTrace(System.out));
            }
        }
        System.out.println(rounds + " rounds, " + failed + " failed; " + new TreeMap<>(SEEN));
        for (var what : MUST_BE_SEEN) {
            if (ofOneSeed == 1 && rounds >= ENOUGH && !SEEN.containsKey(what)) {
                System.out.println("never seen, so the rounds prove nothing: " + what);
                failed++;
            }
        }
        System.exit(failed == 0 ? 0 : 1);
    }

    private static void saw(String what) {
        SEEN.computeIfAbsent(what, w -> new LongAdder()).increment();
    }

    private void play() throws InterruptedException {
        var scope = ActorSystem.configure("one way").listener(this::hear).closeTimeout(LONG).open();
        for (int i = 0; i < ACTORS; i++) {
            randoms[i] = random.split();
            actors.add(make(scope, i));
        }
        var roots = new ArrayList<Thread>();
        for (int i = 0; i < 3; i++) {
            var mine = random.split();
            var thread = i == 0 ? Thread.ofPlatform() : Thread.ofVirtual();
            roots.add(thread.unstarted(() -> guarded(() -> ask(mine))));
        }
        roots.forEach(Thread::start);
        for (var root : roots) {
            if (!root.join(LONG)) {
                wrong.add(new AssertionError("an ask has no outcome after " + LONG + ": " + actors));
                return;
            }
        }
        var report = scope.stop(LONG);
        check(report.stopped() && !report.forced(), "the scope stops by itself: " + report);
        check(isAnswered(), "every ask has an outcome");
        var counters = report.counters();
        check(counters.total() == offered.get(), offered + " were offered: " + counters);
        check(counters.handled() == returned.get(), returned + " handlers have returned: " + counters);
        check(counters.failed() == threw.get(), threw + " handlers have thrown: " + counters);
    }

    /** Who waits hears that the time is over a moment before the timer thread has completed the answer. */
    private boolean isAnswered() throws InterruptedException {
        try {
            CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
                    .handle((all, failure) -> all)
                    .get(LONG.toSeconds(), TimeUnit.SECONDS);
            return true;
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }

    private void check(boolean right, String what) {
        if (!right) {
            wrong.add(new AssertionError(what));
        }
    }

    private void hear(ActorEvent event) {
        if (event instanceof Restarted) {
            saw("restarted");
        }
    }

    private void guarded(Body body) {
        try {
            body.run();
        } catch (Throwable failure) {
            wrong.add(failure);
        }
    }

    private Actor<Note, Integer> make(ActorScope scope, int number) {
        var restarts = FailurePolicy.restart(20, LONG);
        var policy = switch (random.nextInt(4)) {
            case 0 -> FailurePolicy.resume();
            case 1 -> FailurePolicy.stop();
            case 2 -> restarts;
            default -> restarts.withBackoff(Duration.ofNanos(100_000), SHORT, 0);
        };
        var builder = scope.named("actor " + number).onFailure(policy).onExit(() -> hook(number));
        builder = switch (random.nextInt(12)) {
            case 0 -> {
                onCallers[number] = true;
                yield builder.strategy(CreationStrategy.caller());
            }
            case 1 -> builder.strategy(CreationStrategy.threads());
            case 2 -> builder.runByCallers();
            default -> builder;
        };
        if (policy instanceof FailurePolicy.Restart) {
            return builder.newActorWithReturnFrom((ActorContext<Note, Integer> context) -> {
                if (actors.size() == ACTORS) {
                    saw("a new handler asked");
                    askBehind(number, 0);
                }
                return note -> handle(number, note);
            });
        }
        return builder.newActorWithReturn((Note note) -> handle(number, note));
    }

    private Integer handle(int number, Note note) throws Exception {
        var mine = randoms[number];
        var well = false;
        try {
            if (note.sender != null) {
                saw(note.sender == Thread.currentThread() ? "asked on top" : "asked elsewhere");
            }
            for (int times = note.asks == 0 ? 0 : 1 + mine.nextInt(2); times > 0; times--) {
                askBehind(number, note.asks - 1);
            }
            if (mine.nextInt(6) == 0) {
                tell(mine.nextInt(ACTORS), number, new Note(Math.max(0, note.asks - 1), null));
            }
            switch (mine.nextInt(80)) {
                case 0, 1 -> throw new OnPurpose();
                case 2 -> actors.get(number).askExit();
                case 3, 4 -> {
                    if (stopsByForce) {
                        Thread.sleep(SHORT.toMillis() + 2);
                    }
                }
                default -> {
                }
            }
            well = true;
            return number;
        } finally {
            (well ? returned : threw).incrementAndGet();
        }
    }

    /** Sends without an answer. The sender waits for the handler of an actor on caller(), so that one has a larger number. */
    private void tell(int whom, int sender, Note note) {
        if (whom > sender || !onCallers[whom]) {
            offered.incrementAndGet();
            actors.get(whom).sendMessage(note);
        }
    }

    private void hook(int number) throws Exception {
        saw("a hook asked");
        if (hooksAskAll) {
            ask(randoms[number], actors.get(randoms[number].nextInt(ACTORS)), 1);
        } else {
            askBehind(number, 1);
        }
    }

    private void askBehind(int number, int asks) throws Exception {
        var behind = ACTORS - 1 - number;
        if (behind > 0) {
            var mine = randoms[number];
            ask(mine, actors.get(number + 1 + mine.nextInt(behind)), asks);
        }
    }

    /** Asks and stops, on a thread that is no actor's. */
    private void ask(SplittableRandom mine) throws Exception {
        for (int i = 0; i < 6; i++) {
            ask(mine, actors.get(mine.nextInt(ACTORS)), mine.nextInt(4));
            var other = actors.get(mine.nextInt(ACTORS));
            switch (mine.nextInt(30)) {
                case 0 -> other.askExit();
                case 1 -> other.sendPoisonPill();
                case 2, 3, 4 -> {
                    if (stopsByForce) {
                        saw(other.stop(SHORT).forced() ? "stopped by force" : "stopped in time");
                    }
                }
                default -> {
                }
            }
        }
    }

    private void ask(SplittableRandom mine, Actor<Note, Integer> whom, int asks) throws Exception {
        var note = new Note(asks, Thread.currentThread());
        offered.incrementAndGet();
        try {
            var number = switch (mine.nextInt(stopsByForce ? 4 : 6)) {
                case 0 -> known(whom.sendMessageReturn(note)).get();
                case 1 -> known(whom.ask(note, SHORT)).get();
                case 2 -> known(whom.sendMessageReturn(note)).join();
                case 3 -> known(whom.ask(note, LONG)).thenApply(n -> n).get();
                case 4 -> whom.apply(note);
                default -> whom.sendMessageReturnWait(note);
            };
            saw(number.getClass().getSimpleName());
        } catch (Exception failure) {
            var cause = failure instanceof ExecutionException || failure instanceof CompletionException
                    ? failure.getCause()
                    : failure;
            saw(cause.getClass().getSimpleName());
            switch (cause) {
                case AskCycleException cycle -> wrong.add(cycle);
                case OnPurpose wanted -> {
                }
                case ActorStoppedException stopped -> {
                }
                case AskTimeoutException late -> {
                }
                case InterruptedException interrupt when stopsByForce -> {
                    if (failure == interrupt) {
                        throw interrupt; // this handler's own, not that of the asked one
                    }
                }
                default -> wrong.add(failure);
            }
        }
    }

    private CompletableFuture<Integer> known(CompletableFuture<Integer> answer) {
        answers.add(answer);
        return answer;
    }
}
