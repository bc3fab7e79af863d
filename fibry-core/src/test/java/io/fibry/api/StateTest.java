package io.fibry.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.event.Failed;
import io.fibry.promises.Scopes;
import io.fibry.promises.Waits;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Recorder;
import io.fibry.testing.Strategy;
import java.util.ArrayList;
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
}
