package io.fibry.stack;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.ContextCarrier;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ReceivingContext;
import io.fibry.event.ActorListener;
import io.fibry.event.Stopped;
import io.fibry.function.Body;
import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.function.Handler;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Patience;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.Schedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Does things for the first time in this JVM where hardly any stack is left, in each of the last frames, and then once more
 * where there is enough. Arguments: a strategy, and the names of what to do. Constants are the only lambdas that it uses on the
 * short stack: its own call sites are not what is tested.
 */
final class FirstUse {
    private static final int FRAMES = 300;
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Schedule LATE = Schedule.once(HOUR);
    private static final Callable<Integer> CODE = () -> 3;
    private static final Callable<Integer> FAILING = () -> {
        throw new IllegalStateException("on purpose");
    };
    private static final Body FAILING_BODY = FAILING::call;
    private static final Body BODY = () -> {
    };
    private static final Runnable TASK = () -> {
    };
    private static final AutoCloseable RESOURCE = () -> {
    };
    private static final Function<Stopped, Integer> NOTICE = how -> 0;
    private static final Callable<Integer> ONE = () -> 1;
    private static final Predicate<Integer> NEVER = message -> false;
    private static final ActorListener SILENT = event -> {
    };
    private static final Set<String> CARRYING = Set.of("apply", "async");
    private static final ThreadLocal<String> CARRIED = new ThreadLocal<>();
    private static final Map<String, MailboxPolicy> MAILBOXES = Map.of(
            "dropOldest", MailboxPolicy.bounded(2, OverflowPolicy.dropOldest()),
            "dropNewest", MailboxPolicy.bounded(2, OverflowPolicy.dropNewest()),
            "reject", MailboxPolicy.bounded(2, OverflowPolicy.reject()),
            "fail", MailboxPolicy.bounded(2, OverflowPolicy.fail()),
            "block", MailboxPolicy.bounded(2, OverflowPolicy.block(Duration.ofMillis(1))));
    private static final Map<String, Use> USES = new LinkedHashMap<>();

    /** What is done, by an actor or in its body. */
    @FunctionalInterface
    private interface Use {
        void of(Actor<Integer, Integer> target, Place place) throws Exception;
    }

    /** Where it is done. */
    private record Place(ActorScope scope, ActorContext<Integer, ?> context,
            KeyedActors<Integer, Integer, Integer> keyed) {
        @SuppressWarnings("unchecked") // only a receiving body asks for it
        ReceivingContext<Integer> receiving() {
            return (ReceivingContext<Integer>) (ActorContext<?, ?>) context;
        }
    }

    static {
        USES.put("tell", (target, place) -> target.sendMessage(1));
        USES.put("name", (target, place) -> place.scope.sendOrKeep(ActorName.of(target.name()), 1, 0));
        USES.put("kept",
                (target, place) -> place.scope.sendOrKeep(ActorName.of("nobody"), 1, 9));
        USES.put("apply", (target, place) -> target.apply(1));
        USES.put("ask", (target, place) -> target.sendMessageReturn(1).get());
        USES.put("requestWait",
                (target, place) -> target.sendMessageReturn(1).get(Patience.MILLIS, TimeUnit.MILLISECONDS));
        USES.put("timed", (target, place) -> target.ask(1, LIMIT).get());
        USES.put("execute", (target, place) -> target.execute(TASK));
        USES.put("async", (target, place) -> target.execAsync(BODY));
        USES.put("exec", (target, place) -> target.execAndWait(BODY));
        USES.put("future", (target, place) -> target.execFuture(CODE).get());
        USES.put("failing", (target, place) -> {
            try {
                target.execFuture(FAILING).get();
            } catch (java.util.concurrent.ExecutionException expected) {
                return;
            }
        });
        USES.put("failingAsync", (target, place) -> target.execAsync(FAILING_BODY));
        USES.put("job", (target, place) -> place.scope.schedule(LATE, target, 1).cancel());
        USES.put("task", (target, place) -> place.scope.schedule(LATE, BODY).cancel());
        USES.put("timer", (target, place) -> {
            place.context.timers().set("t", LATE, 1);
            place.context.timers().cancel("t");
        });
        USES.put("left", (target, place) -> place.context.timeLeft());
        USES.put("watch", (target, place) -> {
            place.context.watch(target, NOTICE);
            place.context.unwatch(target);
        });
        USES.put("link", (target, place) -> {
            place.context.link(target);
            place.context.unlink(target);
        });
        USES.put("keyed", (target, place) -> place.keyed.sendMessageReturn(1).get());
        USES.put("keyedTell", (target, place) -> place.keyed.sendMessage(1));
        USES.put("counters", (target, place) -> target.counters());
        USES.put("receive", (target, place) -> place.receiving().receive(NEVER, Duration.ZERO));
        USES.put("closeOnExit", (target, place) -> target.closeOnExit(RESOURCE));
        USES.put("exit", (target, place) -> target.askExit());
        USES.put("pill", (target, place) -> target.sendPoisonPill());
        USES.put("stop", (target, place) -> target.stop(LIMIT));
        USES.put("close", (target, place) -> target.close());
        USES.put("wait", (target, place) -> {
            target.askExit();
            target.waitForExit(LIMIT);
        });
        USES.put("tracked", (target, place) -> target.sendTracked(1).get());
        USES.put("lives", (target, place) -> target.sendMessage(1, LIMIT));
        USES.put("urgent", (target, place) -> target.sendUrgent(1));
        USES.put("held", (target, place) -> target.hold(ONE, LIMIT));
        USES.put("aside", (target, place) -> target.apply(1));
        USES.put("deferred", (target, place) -> place.context.deferReply().complete(null));
        MAILBOXES.keySet().forEach(full -> USES.put(full, FirstUse::fill));
    }

    /** The settings of the actor, by the kind of use. */
    private static final Map<String, UnaryOperator<ActorBuilder>> KINDS = Map.of(
            "urgent", builder -> builder.urgent(FRAMES),
            "aside", builder -> builder.stash(FRAMES));

    private static void fill(Actor<Integer, Integer> target, Place place) {
        try {
            for (int i = 0; i < 4; i++) {
                target.sendMessage(1);
            }
        } catch (io.fibry.MailboxFullException expected) {
            return;
        }
    }

    private final Use use;
    private final Place place;
    private final List<Actor<Integer, Integer>> targets;
    /** What must not be thrown. Kept until there is stack to tell it. */
    private Throwable failure;

    private FirstUse(Use use, Place place, List<Actor<Integer, Integer>> targets) {
        this.use = use;
        this.place = place;
        this.targets = targets;
    }

    /** How many frames are still to do it, in the low bits; the other numbers make the frame larger. */
    private long descend(long a, long b, long c, long d) {
        long left;
        try {
            left = descend(a + 1, b + 2, c + 3, d + 4) & 0xFFFF;
        } catch (StackOverflowError deepest) {
            left = FRAMES;
        }
        if (left > 0) {
            left--;
            try {
                use.of(targets.get((int) left), place);
            } catch (LinkageError poisoned) {
                failure = poisoned;
            } catch (Throwable overflow) { // what else is thrown is what the other tests are about
                return (a ^ b ^ c ^ d) << 16 | left;
            }
        }
        return (a ^ b ^ c ^ d) << 16 | left;
    }

    private static Throwable descend(Use use, Place place, List<Actor<Integer, Integer>> targets) {
        var descent = new FirstUse(use, place, targets);
        descent.descend(1, 2, 3, 4);
        if (descent.failure == null) {
            try {
                use.of(targets.get(FRAMES), place);
            } catch (Throwable late) {
                return late;
            }
        }
        return descent.failure;
    }

    /** The actor of the key 1 has been made. */
    private static KeyedActors<Integer, Integer, Integer> keyed(ActorScope scope) throws Exception {
        KeyedActors<Integer, Integer, Integer> keyed = scope.anonymous()
                .keyed(Function.<Integer>identity()).idle(HOUR)
                .newActorsWithReturnFrom(
                        key -> (ContextReplyHandler<Integer, Integer>) (context, number) -> number);
        keyed.sendMessageReturn(1).get();
        return keyed;
    }

    /** Handles each message when it comes for the second time. */
    private static ContextReplyHandler<Integer, Integer> aside() {
        var again = new AtomicBoolean();
        return (context, number) -> {
            if (again.compareAndSet(false, true)) {
                context.stash();
                context.unstashAll();
            } else {
                again.set(false);
            }
            return number;
        };
    }

    /** Nothing else may have been linked before: what is linked first needs the most. So this sets up as little as it can. */
    private static void first(String what, CreationStrategy strategy) throws Throwable {
        var use = USES.get(what);
        var configured = ActorSystem.configure("first").strategy(strategy).listener(SILENT)
                .onFailure(FailurePolicy.resume());
        try (var scope = (CARRYING.contains(what) ? configured.carry(ContextCarrier.of(CARRIED)) : configured)
                .open()) {
            var keyed = what.startsWith("keyed") ? keyed(scope) : null;
            var targets = new ArrayList<Actor<Integer, Integer>>();
            for (int i = 0; i <= FRAMES; i++) {
                var builder = (what.equals("name") ? scope.named("target" + i) : scope.anonymous())
                        .mailbox(MAILBOXES.getOrDefault(what, MailboxPolicy.unbounded()));
                builder = KINDS.getOrDefault(what, UnaryOperator.identity()).apply(builder);
                targets.add(what.equals("aside")
                        ? builder.newActorWithReturn(aside())
                        : builder.newActorWithReturn((Integer n) -> n + 1));
            }
            var told = new CompletableFuture<Optional<Throwable>>();
            if (what.equals("receive")) {
                Handler<ReceivingContext<Integer>> body = context -> told.complete(
                        Optional.ofNullable(descend(use, new Place(scope, context, keyed), targets)));
                scope.anonymous().newReceivingActor(body);
            } else {
                ContextHandler<Integer> handler = (context, message) -> told.complete(
                        Optional.ofNullable(descend(use, new Place(scope, context, keyed), targets)));
                scope.anonymous().newActor(handler).sendMessage(1);
            }
            var failure = Waits.on(told);
            if (failure.isPresent()) {
                throw new AssertionError("the first " + what + " on a short stack", failure.get());
            }
        }
    }

    public static void main(String[] arguments) throws Throwable {
        for (int i = 1; i < arguments.length; i++) {
            first(arguments[i], Strategy.valueOf(arguments[0]).create());
        }
        System.out.println("done");
        System.exit(0);
    }
}
