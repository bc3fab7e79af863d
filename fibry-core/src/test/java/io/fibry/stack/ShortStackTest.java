package io.fibry.stack;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.function.Body;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.Schedule;
import io.fibry.time.Scheduled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * A handler that has hardly any stack left uses other actors, once in each of the last frames before its stack ends. It may
 * be told that its stack has overflown; nobody else is to notice, whatever frame that was in.
 */
class ShortStackTest {
    /** Frames of about a hundred bytes: more of them than what the engine needs fits into. */
    private static final int FRAMES = 300;
    /** The first is interpreted, the last compiled: frames are of other sizes then. */
    private static final int ROUNDS = 3;

    // Lambdas that are made on the short stack are constants. If the linkage of a lambda overflows on a JDK 21, the place where
    // it is written fails for ever, with a BootstrapMethodError.
    private static final Body NOTHING = () -> {
    };
    private static final Callable<Integer> FAILURE = () -> {
        throw new IllegalStateException("on purpose");
    };

    private static final List<Integer> MESSAGES = List.of(1, 2);

    /** What is done with an actor. */
    @FunctionalInterface
    private interface Use {
        void of(Actor<Integer, Integer> actor) throws Exception;
    }

    private static final class Descent {
        final List<Actor<Integer, Integer>> actors = new ArrayList<>();
        final StackOverflowError[] overflows = new StackOverflowError[FRAMES];
        private final Use use;

        Descent(Use use) {
            this.use = use;
        }

        /** Begins some bytes deeper, so that the frames end elsewhere. */
        long begin(int deeper) {
            return deeper == 0 ? descend(1, 2, 3, 4, 5, 6, 7, 8) : begin(deeper - 1) + deeper;
        }

        /** How many frames are still to use an actor, in the low bits; the other numbers make the frame larger. */
        long descend(long a, long b, long c, long d, long e, long f, long g, long h) {
            long left;
            try {
                left = descend(a + 1, b + 2, c + 3, d + 4, e + 5, f + 6, g + 7, h + 8) & 0xFFFF;
            } catch (StackOverflowError deepest) {
                left = FRAMES;
            }
            if (left > 0) {
                left--;
                try {
                    use.of(actors.get((int) left));
                } catch (StackOverflowError overflow) {
                    overflows[(int) left] = overflow;
                } catch (Exception other) {
                    throw new AssertionError(other);
                }
            }
            return (a ^ b ^ c ^ d ^ e ^ f ^ g ^ h) << 16 | left;
        }

        int overflows() {
            return (int) Arrays.stream(overflows).filter(Objects::nonNull).count();
        }
    }

    private static void sweep(Strategy strategy, UnaryOperator<ActorBuilder> kind, Use use) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            for (int round = 0; round < ROUNDS; round++) {
                var deeper = round;
                Actor<Descent, Integer> user = scope.anonymous().newActorWithReturn((Descent descent) -> {
                    descent.begin(deeper);
                    return descent.overflows();
                });
                sweep(scope, kind, user, use);
                user.askExit();
            }
        }
    }

    private static void sweep(ActorScope scope, UnaryOperator<ActorBuilder> kind,
            Actor<Descent, Integer> user,
            Use use) throws Exception {
        var descent = new Descent(use);
        for (int i = 0; i < FRAMES; i++) {
            descent.actors.add(kind.apply(scope.anonymous()).newActorWithReturn((Integer n) -> n + 1));
        }
        var overflows = new CompletableFuture<Integer>();
        Thread.ofPlatform().start(() -> {
            try {
                overflows.complete(user.sendMessageReturn(descent).get());
            } catch (Throwable failure) {
                overflows.completeExceptionally(failure);
            }
        });
        assertThat(Waits.on(overflows)).as("frames without stack").isPositive();
        var answers = new ArrayList<CompletableFuture<Integer>>();
        for (var actor : descent.actors) {
            answers.add(actor.sendMessageReturn(1));
        }
        for (int i = 0; i < FRAMES; i++) {
            var frame = i;
            assertThat(answers.get(i))
                    .as(() -> "frame " + frame + ", where the stack " + overflowOf(descent.overflows[frame]))
                    .succeedsWithin(Patience.LIMIT).isEqualTo(2);
        }
        for (var actor : descent.actors) {
            actor.askExit();
        }
    }

    private static String overflowOf(StackOverflowError overflow) {
        return overflow == null
                ? "was enough"
                : "overflowed at" + Arrays.stream(overflow.getStackTrace()).limit(30).map(f -> "\n  " + f)
                        .collect(Collectors.joining());
    }

    @Promise("10.3")
    @EveryStrategy
    void anAsk(Strategy strategy) throws Exception {
        sweep(strategy, kind -> kind, actor -> actor.sendMessageReturn(1).get());
    }

    @Promise("10.3")
    @EveryStrategy
    void anApply(Strategy strategy) throws Exception {
        sweep(strategy, kind -> kind, actor -> actor.apply(1));
    }

    @Promise("10.3")
    @EveryStrategy
    void anApplyRunByCallers(Strategy strategy) throws Exception {
        sweep(strategy, ActorBuilder::runByCallers, actor -> actor.apply(1));
    }

    @Promise("10.3")
    @EveryStrategy
    void anAskRunByCallers(Strategy strategy) throws Exception {
        sweep(strategy, ActorBuilder::runByCallers, actor -> actor.sendMessageReturn(1).join());
    }

    @Promise("10.3")
    @EveryStrategy
    void aSend(Strategy strategy) throws Exception {
        sweep(strategy, kind -> kind, actor -> actor.sendMessage(1));
    }

    @Promise("10.3")
    @EveryStrategy
    void twoSends(Strategy strategy) throws Exception {
        sweep(strategy, kind -> kind, actor -> {
            actor.sendMessage(1);
            actor.sendMessage(2);
        });
    }

    @Promise("10.3")
    @EveryStrategy
    void sendsToABoundedMailbox(Strategy strategy) throws Exception {
        sweep(strategy, kind -> kind.mailbox(MailboxPolicy.bounded(2, OverflowPolicy.dropOldest())),
                actor -> {
                    actor.sendMessage(1);
                    actor.sendMessage(2);
                    actor.sendMessage(3);
                });
    }

    @Promise("10.3")
    @EveryStrategy
    void anAskWithALimit(Strategy strategy) throws Exception {
        sweep(strategy, kind -> kind, actor -> actor.ask(1, Patience.LIMIT).get());
    }

    @Promise("10.3")
    @EveryStrategy
    void code(Strategy strategy) throws Exception {
        sweep(strategy, kind -> kind, actor -> actor.execAndWait(NOTHING));
    }

    /** One that waits has to let go of what was to run next on its thread. */
    @Promise("10.3")
    @EveryStrategy
    void aSendAndAWaitForAnother(Strategy strategy) throws Exception {
        try (var others = Scopes.on(Strategy.THREADS)) {
            Actor<Integer, Integer> other = others.anonymous().newActorWithReturn((Integer n) -> n);
            sweep(strategy, kind -> kind, actor -> {
                actor.sendMessage(1);
                other.apply(1);
            });
        }
    }

    /** A job is there if its handle was given out, until it is cancelled; what overflows is not there by half. */
    @Promise("20.6")
    @EveryStrategy
    void jobsThatAreCancelled(Strategy strategy) throws Exception {
        try (var jobs = Scopes.on(Strategy.FIBERS)) {
            var begun = new Scheduled[2 * FRAMES * ROUNDS];
            var count = new AtomicInteger();
            sweep(strategy, kind -> kind, actor -> {
                var place = count.getAndIncrement();
                begun[place] = jobs.schedule(Schedule.once(Duration.ofHours(1)), actor, 1);
                begun[place].cancel();
            });
            for (var each : begun) {
                if (each != null) {
                    each.cancel();
                }
            }
            assertThat(jobs.dump().scope().jobs()).isZero();
        }
    }

    /** It fails on a stack that is just as short, and its failure is told. */
    @Promise("10.3")
    @EveryStrategy
    void anAskOfOneThatFails(Strategy strategy) throws Exception {
        sweep(strategy, kind -> kind, actor -> {
            try {
                actor.execFuture(FAILURE).get();
            } catch (ExecutionException e) {
                return;
            }
        });
    }

    @Promise("10.3")
    @EveryStrategy
    void sendsWithAFateATimeToLiveAndUrgency(Strategy strategy) throws Exception {
        sweep(strategy, kind -> kind.urgent(10), actor -> {
            actor.sendTracked(1);
            actor.sendMessage(2, Patience.LIMIT);
            actor.sendUrgent(3);
        });
    }

    @Promise("10.3")
    @EveryStrategy
    void codeThatHoldsTheActor(Strategy strategy) throws Exception {
        sweep(strategy, kind -> kind, actor -> actor.hold(() -> 1, Patience.LIMIT));
    }
}
