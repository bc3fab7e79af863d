package io.fibry.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.FailurePolicy;
import io.fibry.event.Failed;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

class StateTest {
    @EveryStrategy
    void eachActorHasAStateOfItsOwn(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var made = new AtomicInteger();
            var builder = scope.anonymous().state(() -> {
                made.incrementAndGet();
                return new ArrayList<Integer>();
            });
            var first = builder.newActorWithReturn((ArrayList<Integer> state, Integer n) -> {
                state.add(n);
                return state.size();
            });
            var second = builder.newActorWithReturn((ArrayList<Integer> state, Integer n) -> state.size());
            assertThat(made).as("made before the first message").hasValue(0);
            assertThat(Waits.on(first.sendMessageReturn(1))).isEqualTo(1);
            assertThat(Waits.on(first.sendMessageReturn(2))).isEqualTo(2);
            assertThat(Waits.on(second.sendMessageReturn(3))).isZero();
            assertThat(made).hasValue(2);
        }
    }

    @EveryStrategy
    void theStateIsMadeInsideTheActor(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var threads = new CopyOnWriteArrayList<Thread>();
            var actor = scope.anonymous().state(() -> {
                threads.add(Thread.currentThread());
                return "state";
            }).newActor((String state, Integer n) -> {
                threads.add(Thread.currentThread());
            });
            actor.sendMessage(1);
            actor.close();
            assertThat(threads).hasSize(2);
            assertThat(threads.getFirst()).isSameAs(threads.getLast());
        }
    }

    @EveryStrategy
    void ifItCannotBeMadeTheMessageFailsAndTheNextTriesAgain(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            var tries = new AtomicInteger();
            var failure = new IllegalStateException("not yet");
            var actor = scope.anonymous().state(() -> {
                if (tries.incrementAndGet() == 1) {
                    throw failure;
                }
                return "state";
            }).newActorWithReturn((String state, Integer n) -> state + n);
            assertThat(Waits.failure(actor.sendMessageReturn(1))).isSameAs(failure);
            assertThat(Waits.on(actor.sendMessageReturn(2))).isEqualTo("state2");
            assertThat(recorder.only(Failed.class).cause()).isSameAs(failure);
        }
    }

    @EveryStrategy
    void aStateThatIsNullIsAFailure(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous().<String>state(() -> null)
                    .newActorWithReturn((String state, Integer n) -> n);
            assertThat(Waits.failure(actor.sendMessageReturn(1))).isInstanceOf(NullPointerException.class)
                    .hasMessageContaining("initial state");
        }
    }

    /** A state that can be closed. */
    private static final class Ledger implements AutoCloseable {
        final List<Ledger> closed;
        int sum;

        Ledger(List<Ledger> closed) {
            this.closed = closed;
        }

        void add(int n) {
            if (n < 0) {
                throw new IllegalArgumentException("as wanted");
            }
            sum += n;
        }

        @Override
        public void close() {
            closed.add(this);
        }
    }

    @Promise({"19.1", "9.4"})
    @EveryStrategy
    void aStateThatCanBeClosedIsWhenItsActorIsRestartedAndWhenItStops(Strategy strategy) throws Exception {
        for (var policy : List.of(FailurePolicy.restart(), FailurePolicy.stop(), FailurePolicy.resume())) {
            var made = new CopyOnWriteArrayList<Ledger>();
            var closed = new CopyOnWriteArrayList<Ledger>();
            var order = new CopyOnWriteArrayList<String>();
            try (var scope = Scopes.on(strategy)) {
                var actor =
                        scope.anonymous().onFailure(policy).onExit(() -> order.add("hook " + closed.size()))
                                .state(() -> {
                                    var ledger = new Ledger(closed);
                                    made.add(ledger);
                                    return ledger;
                                }).newActorWithReturn((Ledger ledger, Integer n) -> {
                                    ledger.add(n);
                                    return ledger.sum;
                                });
                assertThat(Waits.on(actor.sendMessageReturn(2))).isEqualTo(2);
                assertThat(closed).isEmpty();
                assertThat(Waits.failure(actor.sendMessageReturn(-1)))
                        .isInstanceOf(IllegalArgumentException.class);
                var last = actor.sendMessageReturn(3);
                if (policy instanceof FailurePolicy.Stop) {
                    Waits.failure(last);
                } else {
                    assertThat(Waits.on(last)).isEqualTo(policy instanceof FailurePolicy.Restart ? 3 : 5);
                }
                assertThat(made).hasSize(policy instanceof FailurePolicy.Restart ? 2 : 1);
                actor.close();
                assertThat(closed).as("each once").isEqualTo(made);
                assertThat(order).containsExactly("hook " + (made.size() - 1));
            }
        }
    }

    @Promise("19.1")
    @EveryStrategy
    void aStateThatWasNeverMadeIsNotClosedAndNotMadeForThat(Strategy strategy) throws Exception {
        var made = new AtomicInteger();
        try (var scope = Scopes.on(strategy)) {
            scope.anonymous().state(() -> {
                made.incrementAndGet();
                return new Ledger(new CopyOnWriteArrayList<>());
            }).newActor((Ledger ledger, Integer n) -> ledger.add(n)).close();
        }
        assertThat(made).hasValue(0);
    }

    @Promise({"19.1", "10.3"})
    @EveryStrategy
    void whatTheCloseOfAStateThrowsIsReportedAndStopsNothing(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.anonymous().onFailure(FailurePolicy.restart())
                    .state(() -> (AutoCloseable) () -> {
                        throw new IllegalStateException("cannot close");
                    }).newActorWithReturn((AutoCloseable state, Integer n) -> 10 / n);
            Waits.failure(actor.sendMessageReturn(0));
            assertThat(Waits.on(actor.sendMessageReturn(5))).isEqualTo(2);
            actor.close();
            assertThat(recorder.of(Failed.class)).filteredOn(failed -> failed.message().isEmpty())
                    .hasSize(2).allMatch(failed -> "cannot close".equals(failed.cause().getMessage()));
        }
    }
}
