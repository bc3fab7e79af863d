package io.fibry.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.FailurePolicy;
import io.fibry.event.Failed;
import io.fibry.event.Restarted;
import io.fibry.event.Stopped;
import io.fibry.function.ReplyHandler;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * An actor that has answered may run on the stack of the one that asked. What it does after the answer is nothing that the
 * asker waits for: it holds the asker up on no strategy, and may ask it.
 */
class AfterTheAnswerTest {
    /** Who asks, and how. */
    private enum Asker {
        /** An actor, on its own stack. */
        ACTOR, VIRTUAL_THREAD, PLATFORM_THREAD
    }

    /** One asker, one asked actor, and what is observed of them. */
    private static final class Round {
        final ActorScope scope;
        final Asker asker;
        final boolean byCallers;
        /** Counted down by the asker when it has its answer. */
        final CountDownLatch answered = new CountDownLatch(1);
        final CompletableFuture<String> after = new CompletableFuture<>();
        /** Answers what it is asked; each ask of zero makes it ask the other one. */
        final Actor<Integer, String> asking;
        Function<Integer, String> question = n -> "nothing to ask";

        Round(ActorScope scope, Asker asker, boolean byCallers) {
            this.scope = scope;
            this.asker = asker;
            this.byCallers = byCallers;
            asking = scope.named("asking").newActorWithReturn((Integer n) -> n == 0 ? ask() : "fine");
        }

        ActorBuilder asked() {
            var builder = scope.named("asked");
            return byCallers ? builder.runByCallers() : builder;
        }

        private String ask() {
            var answer = question.apply(1);
            answered.countDown();
            return answer;
        }

        /** Waits until the asker has its answer, then asks it something. By the asked actor, after its answer. */
        void holdsUpNobody() {
            try {
                if (!answered.await(Patience.MILLIS, TimeUnit.MILLISECONDS)) {
                    after.complete("the asker was held up");
                    return;
                }
                after.complete(asker == Asker.ACTOR ? asking.apply(2) : "fine");
            } catch (Throwable failure) {
                after.complete("it could not ask the asker: " + failure);
            }
        }

        /** Asks, and says what came of it. */
        String play() throws Exception {
            var outcome = switch (asker) {
                case ACTOR -> asking.sendMessageReturn(0);
                case VIRTUAL_THREAD -> aside(Thread.ofVirtual());
                case PLATFORM_THREAD -> aside(Thread.ofPlatform());
            };
            return Waits.on(outcome) + ", then " + Waits.on(after);
        }

        private CompletableFuture<String> aside(Thread.Builder threads) {
            var outcome = new CompletableFuture<String>();
            threads.start(() -> {
                try {
                    outcome.complete(ask());
                } catch (Throwable failure) {
                    outcome.completeExceptionally(failure);
                }
            });
            return outcome;
        }
    }

    @FunctionalInterface
    private interface Case {
        void prepare(Round round);
    }

    private static void play(Strategy strategy, Case prepared) throws Exception {
        for (var byCallers : new boolean[]{false, true}) {
            for (var asker : Asker.values()) {
                var round = new CompletableFuture<Round>();
                try (var scope = Scopes.configure().strategy(strategy.create()).listener(event -> {
                }).open()) {
                    round.complete(new Round(scope, asker, byCallers));
                    prepared.prepare(round.get());
                    assertThat(round.get().play()).as("%s, by callers: %s", asker, byCallers)
                            .isEqualTo("answer, then fine");
                }
            }
        }
    }

    private static ReplyHandler<Integer, String> endsWith(Actor<?, ?>[] self) {
        return n -> {
            self[0].askExit();
            return "answer";
        };
    }

    @Promise({"9.9", "11.1"})
    @EveryStrategy
    void anExitHook(Strategy strategy) throws Exception {
        play(strategy, round -> {
            var self = new Actor<?, ?>[1];
            Actor<Integer, String> asked =
                    round.asked().onExit(round::holdsUpNobody).newActorWithReturn(endsWith(self));
            self[0] = asked;
            round.question = asked;
        });
    }

    @Promise("9.9")
    @EveryStrategy
    void theEndOfAChild(Strategy strategy) throws Exception {
        play(strategy, round -> {
            Actor<Integer, String> asked = round.asked()
                    .newActorWithReturn((ActorContext<Integer, String> context, Integer n) -> {
                        context.child().onExit(round::holdsUpNobody).newActor((Integer m) -> {
                        });
                        context.self().askExit();
                        return "answer";
                    });
            round.question = asked;
        });
    }

    @Promise("9.9")
    @EveryStrategy
    void aRestart(Strategy strategy) throws Exception {
        play(strategy, round -> {
            var failed = new AtomicBoolean();
            Actor<Integer, String> asked = round.asked().onFailure(FailurePolicy.restart())
                    .newActorWithReturnFrom((ActorContext<Integer, String> context) -> {
                        if (failed.get()) {
                            round.holdsUpNobody();
                        }
                        return n -> {
                            failed.set(true);
                            throw new IllegalStateException("on purpose");
                        };
                    });
            round.question = n -> outcome(asked, n);
        });
    }

    /** An ask that fails has its outcome, too. */
    private static String outcome(Actor<Integer, String> asked, int n) {
        try {
            return asked.sendMessageReturnWait(n);
        } catch (ExecutionException e) {
            return "answer";
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private record Closing(Closeable end) implements ReplyHandler<Integer, String>, AutoCloseable {
        @Override
        public String handle(Integer n) {
            throw new IllegalStateException("on purpose");
        }

        @Override
        public void close() throws IOException {
            end.close();
        }
    }

    @EveryStrategy
    void theCloseOfWhatARestartReplaces(Strategy strategy) throws Exception {
        play(strategy, round -> {
            Actor<Integer, String> asked = round.asked().onFailure(FailurePolicy.restart())
                    .newActorWithReturnFrom(
                            (ActorContext<Integer, String> context) -> new Closing(round::holdsUpNobody));
            round.question = n -> outcome(asked, n);
        });
    }

    @Promise("9.9")
    @EveryStrategy
    void aMessageThatItHasSentItself(Strategy strategy) throws Exception {
        play(strategy, round -> {
            Actor<Integer, String> asked = round.asked()
                    .newActorWithReturn((ActorContext<Integer, String> context, Integer n) -> {
                        if (n == 1) {
                            context.self().sendMessage(2);
                        } else {
                            round.holdsUpNobody();
                        }
                        return "answer";
                    });
            round.question = asked;
        });
    }

    @EveryStrategy
    void aListenerThatHearsOfTheEnd(Strategy strategy) throws Exception {
        for (var asker : Asker.values()) {
            var begun = new CompletableFuture<Round>();
            try (var scope = Scopes.configure().strategy(strategy.create()).listener(event -> {
                if (event instanceof Stopped stopped && stopped.actor().equals("asked")) {
                    begun.join().holdsUpNobody();
                }
            }).open()) {
                var round = new Round(scope, asker, false);
                begun.complete(round);
                var self = new Actor<?, ?>[1];
                Actor<Integer, String> asked = round.asked().onExit(() -> {
                }).newActorWithReturn(endsWith(self));
                self[0] = asked;
                round.question = asked;
                assertThat(round.play()).as("%s", asker).isEqualTo("answer, then fine");
            }
        }
    }

    /** The asked actor is told what it fails with once, and ends once, wherever that is. */
    @EveryStrategy
    void itEndsOnceAndTellsOnce(Strategy strategy) throws Exception {
        var events = java.util.Collections.synchronizedList(new ArrayList<Object>());
        try (var scope = Scopes.configure().strategy(strategy.create()).listener(events::add).open()) {
            Actor<Integer, String> asking = scope.named("asking").newActorWithReturn((Integer n) -> {
                var self = new Actor<?, ?>[1];
                Actor<Integer, String> asked = scope.named("asked " + n).onExit(() -> {
                    throw new IllegalStateException("in the hook");
                }).newActorWithReturn(endsWith(self));
                self[0] = asked;
                var lost = asked.sendMessageReturn(n).get();
                asked.waitForExit();
                return lost;
            });
            for (int n = 0; n < 20; n++) {
                assertThat(Waits.on(asking.sendMessageReturn(n))).isEqualTo("answer");
            }
            assertThat(List.copyOf(events).stream().filter(e -> e instanceof Stopped)).hasSize(20);
            assertThat(List.copyOf(events).stream().filter(e -> e instanceof Failed)).hasSize(20);
            assertThat(List.copyOf(events).stream().filter(e -> e instanceof Restarted)).isEmpty();
        }
    }
}
