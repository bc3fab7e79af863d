package io.fibry.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorName;
import io.fibry.AskTimeoutException;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.Lifetime;
import io.fibry.StatefulActor;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.event.Stopped;
import io.fibry.function.ReplyHandler;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Actors with a state: handlers with a context, receiving, and code that runs with the state. */
class StatefulActorTest {
    private static final Duration LONG = Duration.ofMinutes(5);

    private static <S> Object result(StatefulActor<S, ?, ?> actor, ReplyHandler<S, Object> code)
            throws Exception {
        return Waits.on(actor.execFutureWithState(code));
    }

    @Promise("33.2")
    @EveryStrategy
    void aHandlerHasTheContextAndTheState(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var told = scope.named("told").state(ArrayList<String>::new).newActor(
                    (ActorContext<String, Void> context, ArrayList<String> state, String message) -> {
                        state.add(context.self().name() + " " + message);
                        if (message.equals("last")) {
                            context.askExit();
                        }
                    });
            told.sendMessage("first");
            assertThat(result(told, List::copyOf)).isEqualTo(List.of("told first"));
            told.sendMessage("last");
            Waits.stopped(told);

            Actor<Integer, Integer> asked = scope.anonymous().state(AtomicInteger::new).newActorWithReturn(
                    (context, sum, n) -> context.self().state() == null ? -1 : sum.addAndGet(n));
            assertThat(asked.apply(2)).isEqualTo(2);
            assertThat(asked.apply(3)).isEqualTo(5);
        }
    }

    @Promise({"33.2", "36.5"})
    @EveryStrategy
    void anotherHandlerTakesThePlaceOfOneWithAState(Strategy strategy) throws Exception {
        var seen = new CopyOnWriteArrayList<String>();
        try (var scope = Scopes.on(strategy)) {
            var actor =
                    scope.anonymous().onFailure(FailurePolicy.restart()).stash(1).state(StringBuilder::new)
                            .<String>newActor((context, state, message) -> {
                                seen.add(state.append(message).toString());
                                if (message.equals("b")) {
                                    context.become((inside, next) -> {
                                        seen.add("became " + next);
                                        if (next.equals("d")) {
                                            throw new IllegalArgumentException("as wanted");
                                        }
                                    });
                                }
                            });
            List.of("a", "b", "c", "d", "e").forEach(actor::sendMessage);
            actor.execWithStateAndWait(state -> seen.add("state " + state));
            Actor<Integer, Integer> asked = scope.anonymous().state(AtomicInteger::new).newActorWithReturn(
                    (context, sum, n) -> {
                        context.becomeWithReturn((inside, next) -> {
                            inside.unbecome();
                            return -next;
                        });
                        return sum.addAndGet(n);
                    });
            assertThat(List.of(asked.apply(1), asked.apply(2), asked.apply(3))).containsExactly(1, -2, 4);
        }
        assertThat(seen).containsExactly("a", "ab", "became c", "became d", "e", "state e");
    }

    private static final class Pot implements AutoCloseable {
        final List<Pot> closed;
        int sum;

        Pot(List<Pot> closed) {
            this.closed = closed;
        }

        @Override
        public void close() {
            closed.add(this);
        }
    }

    @Promise("33.2")
    @EveryStrategy
    void codeRunsWithTheStateInTurnWithTheMessages(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            StatefulActor<ArrayList<String>, String, Void> actor = scope.named("list")
                    .state(ArrayList<String>::new).newActor((state, message) -> state.add(message));
            assertThat(actor.sendMessage("a")).isTrue();
            assertThat(actor.execWithState(state -> state.add("b"))).isTrue();
            actor.sendMessage("c");
            actor.execWithStateAndWait(state -> state.add("d"));
            actor.execFutureWithState(state -> state.add("e"), LONG).get();
            assertThat(result(actor, state -> String.join("", state))).isEqualTo("abcde");
            assertThat(Waits.on(actor.execFutureWithState(ArrayList::size, LONG)).intValue()).isEqualTo(5);

            var failure = new IllegalStateException("as wanted");
            assertThat(Waits.failure(actor.execFutureWithState(state -> {
                throw failure;
            }))).isSameAs(failure);
            assertThat(recorder.only(Failed.class).cause()).isSameAs(failure);
            assertThatThrownBy(() -> actor.execWithStateAndWait(state -> {
                throw failure;
            })).isInstanceOf(ExecutionException.class).hasCause(failure);
            assertThat(recorder.of(Failed.class)).hasSize(2);
            var counters = actor.counters();
            assertThat(counters.handled()).isEqualTo(7);
            assertThat(counters.failed()).isEqualTo(2);

            actor.close();
            assertThat(actor.execWithState(state -> state.add("late"))).isFalse();
            assertThat(Waits.failure(actor.execFutureWithState(List::size))).hasMessageContaining("list");
            assertThat(actor.closeOnExit(() -> {
            })).isSameAs(actor);
        }
    }

    @Promise({"33.2", "32.9"})
    @EveryStrategy
    void codeThatIsTooLateIsSkipped(Strategy strategy) throws Exception {
        if (!strategy.isAsync()) {
            return;
        }
        try (var scope = Scopes.on(strategy)) {
            var go = new CountDownLatch(1);
            var actor = scope.anonymous().state(AtomicInteger::new)
                    .newActor((AtomicInteger state, String message) -> go.await());
            actor.sendMessage("wait");
            var late = actor.execFutureWithState(AtomicInteger::incrementAndGet, Duration.ofMillis(1));
            assertThat(Waits.failure(late)).isInstanceOf(AskTimeoutException.class);
            go.countDown();
            assertThat(result(actor, AtomicInteger::get)).isEqualTo(0);
        }
    }

    @Promise("33.2")
    @EveryStrategy
    void codeFailsWithTheStateThatCannotBeMade(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var tries = new AtomicInteger();
            var failure = new IllegalStateException("not yet");
            var actor = scope.anonymous().state(() -> {
                if (tries.incrementAndGet() == 1) {
                    throw failure;
                }
                return "state";
            }).newActor((String state, Integer n) -> {
            });
            assertThat(Waits.failure(actor.execFutureWithState(String::length))).isSameAs(failure);
            assertThat(result(actor, String::length)).isEqualTo(5);
        }
    }

    @Promise("33.2")
    @EveryStrategy
    void afterARestartCodeRunsWithTheNewState(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous().onFailure(FailurePolicy.restart()).state(AtomicInteger::new)
                    .newActor((AtomicInteger sum, Integer n) -> sum.addAndGet(10 / n));
            actor.sendMessage(1);
            actor.execWithState(sum -> sum.addAndGet(100));
            assertThat(result(actor, AtomicInteger::get)).isEqualTo(110);
            actor.sendMessage(0);
            assertThat(result(actor, AtomicInteger::get)).isEqualTo(0);
        }
    }

    @Promise("33.2")
    @Test
    @SuppressWarnings("unchecked") // what a program does that casts
    void anActorWithoutAStateSaysSo() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var plain = (StatefulActor<Object, String, Void>) scope.named("plain")
                    .newActor((String message) -> {
                    });
            for (var call : List.<org.assertj.core.api.ThrowableAssert.ThrowingCallable>of(
                    () -> plain.execWithState(state -> {
                    }), () -> plain.execWithStateAndWait(state -> {
                    }), () -> plain.execFutureWithState(state -> state),
                    () -> plain.execFutureWithState(state -> state, LONG))) {
                assertThatThrownBy(call).isInstanceOf(IllegalStateException.class)
                        .hasMessageContainingAll("'plain'", "no state", "state(…)", "execAsync");
            }
            assertThat(plain.counters().handled()).isZero();
        }
    }

    @Promise({"33.2", "19.13"})
    @EveryStrategy
    void aMemberOfAGroupHasAStateForEachOfItsLives(Strategy strategy) throws Exception {
        var states = new AtomicInteger();
        var seen = new CopyOnWriteArrayList<String>();
        var done = new CountDownLatch(3);
        try (var scope = Scopes.on(strategy)) {
            scope.named("group").newGroup(GroupPolicy.oneForOne()).add("member", Lifetime.PERMANENT,
                    builder -> builder.state(states::incrementAndGet)
                            .onStart(state -> seen.add("start " + state))
                            .<String>newActor((context, state, message) -> {
                                seen.add(state + message);
                                done.countDown();
                                if (message.equals("b")) {
                                    throw new IllegalArgumentException("as wanted");
                                }
                            }));
            var member = scope.<String, Void>find(ActorName.of("member")).orElseThrow();
            member.sendMessage("a");
            member.sendMessage("b");
            Waits.until("the successor", () -> seen.contains("start 2"));
            scope.<String>sendOrKeep(ActorName.of("member"), "c", 1);
            Waits.on(done);
        }
        assertThat(seen).containsExactly("start 1", "1a", "1b", "start 2", "2c");
    }

    @Promise("33.2")
    @EveryStrategy
    void aSinkWithAStateRunsCode(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var log = Stereotypes.with(scope.anonymous())
                    .<ArrayList<String>, String>sinkWithState(ArrayList::new);
            log.execWithState(lines -> lines.add("started"));
            log.sendMessage("dropped");
            assertThat(result(log, List::size)).isEqualTo(1);
        }
    }

    @Promise("33.4")
    @EveryStrategy
    void hooksForTheEndGetTheState(Strategy strategy) throws Exception {
        var order = new CopyOnWriteArrayList<String>();
        var made = new AtomicReference<Pot>();
        try (var scope = Scopes.on(strategy)) {
            var closed = new CopyOnWriteArrayList<Pot>();
            var actor = scope.anonymous().onExit(() -> order.add("first")).state(() -> {
                made.set(new Pot(closed));
                return made.get();
            }).onExit(pot -> order.add("second " + pot.sum + " " + closed.size())).onExit(pot -> {
                order.add("third");
                throw new IllegalStateException("as wanted");
            }).newActor((Pot pot, Integer n) -> pot.sum += n);
            actor.closeOnExit(() -> order.add("resource"));
            actor.sendMessage(7);
            actor.close();
            assertThat(closed).containsExactly(made.get());
        }
        assertThat(order).containsExactly("first", "second 7 0", "third", "resource");
    }

    @Promise("33.4")
    @EveryStrategy
    void aHookForTheEndNeedsAState(Strategy strategy) throws Exception {
        var order = new CopyOnWriteArrayList<Object>();
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            scope.named("none").state(() -> "made at once").onExit(order::add)
                    .newActor((String state, Integer n) -> {
                    }).close();
            scope.named("failed").<String>state(() -> {
                throw new IllegalStateException("as wanted");
            }).onExit(order::add).newActor((String state, Integer n) -> {
            }).close();
        }
        assertThat(order).containsExactly("made at once");
        assertThat(recorder.only(Failed.class).part()).isEqualTo(Failed.Part.START);
        assertThat(recorder.of(Stopped.class)).hasSize(2);
    }
}
