package io.fibry.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.CreationStrategy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Undelivered;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What topics and observables report when they, or those who follow them, end while something changes. */
@Tag("once")
class LateSignalsTest {
    /** Turns that do not run. */
    private final ConcurrentLinkedQueue<Runnable> held = new ConcurrentLinkedQueue<>();

    private ActorScope holding(ActorScope scope) {
        return scope.child("holding").strategy(CreationStrategy.of(held::add)).open();
    }

    @Promise("42.9")
    @Test
    void aCombinedValueThatEndsBeforeItHasComputedLosesNothing() throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(Strategy.FIBERS, recorder)) {
            var source = ObservableValue.open(scope, "source", 1);
            var combined =
                    ObservableView.combined(holding(scope), "sum", source, source, Integer::sum);
            source.set(2);
            Waits.until("the combined value is to compute", () -> !held.isEmpty());
            combined.stop(Duration.ZERO); // gives the actor up after a second
            held.forEach(Runnable::run);
            source.set(3);
            source.close();
        }
        assertThat(recorder.of(Undelivered.class)).isEmpty();
    }

    @Promise("42.6")
    @Test
    void aConditionIsTestedForAllChangesBeforeTheEnd() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var value = new LiveValue<Integer>(holding(scope), "level", 0);
            var last = value.when(n -> n == 3);
            var oneBefore = value.when(n -> n == 2);
            var never = value.when(n -> n == 4);
            value.set(1);
            value.set(2);
            value.set(3);
            var closer = Thread.startVirtualThread(value::close);
            Waits.until("all are told of the end", value.scope::isClosing);
            while (closer.isAlive() || !held.isEmpty()) {
                var turn = held.poll();
                if (turn != null) {
                    turn.run();
                }
            }
            assertThat(Waits.on(last)).isEqualTo(3);
            assertThat(Waits.on(oneBefore)).isEqualTo(2);
            assertThat(never).isCompletedExceptionally();
        }
    }

    @Promise({"42.9", "42.4"})
    @Test
    void observersAndConditionsThatEndWhileTheSourceChangesLoseNothing() throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(Strategy.FIBERS, recorder)) {
            for (int round = 0; round < 200; round++) {
                var source = ObservableValue.open(scope, "source", 0);
                var combined = ObservableView.combined(scope, "sum", source, source, Integer::sum);
                var never = source.when(n -> n < 0);
                var setter = Thread.startVirtualThread(() -> setWhileOpen(source));
                if (round % 2 == 0) {
                    combined.close();
                }
                source.close();
                combined.close();
                Waits.on(setter);
                assertThat(never).isCompletedExceptionally();
            }
        }
        assertThat(recorder.of(Undelivered.class)).isEmpty();
    }

    private static void setWhileOpen(ObservableValue<Integer> source) {
        try {
            for (int n = 1; n < 100; n++) {
                source.set(n);
            }
        } catch (IllegalStateException closed) {
            assertThat(closed).hasMessageContaining("'source' is closed");
        }
    }

    @Promise("42.4")
    @Test
    void changesThatAnObserverDidNotGetAreReportedAsTheChange() throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(Strategy.FIBERS, recorder)) {
            var value = ObservableValue.open(holding(scope), "level", 1);
            var observer = value.subscribe(ObserverOptions.named("gauge"), n -> {
            });
            value.set(2);
            value.set(3);
            value.stop(Duration.ZERO);
            held.forEach(Runnable::run);
            var lost = recorder.await(Undelivered.class);
            assertThat(lost.actor()).isEqualTo(observer.name());
            assertThat(lost.message()).isEqualTo(2);
            Waits.until("the changes are counted", () -> value.counters().undelivered() == 2);
            assertThat(recorder.of(Undelivered.class)).hasSize(1);
        }
    }

    @Promise({"41.9", "42.4"})
    @Test
    void aSubscriptionIsNotActiveOnceTheActorOfTheUserHasStopped() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var topic = Topic.<Integer>open(scope, "topic", TopicOptions.defaults());
            var value = ObservableValue.open(scope, "value", 1);
            var queued = SubscriberOptions.named("queued")
                    .withMailbox(MailboxPolicy.bounded(5, OverflowPolicy.reject()));
            for (int round = 0; round < 300; round++) {
                var actor = scope.anonymous().newActor((Integer n) -> {
                });
                var relayed = topic.subscribe(queued, actor);
                var observed = value.subscribe(ObserverOptions.named("actor"), actor);
                assertThat(relayed.isActive() && observed.isActive()).isTrue();
                actor.askExit();
                while (actor.state() != ActorState.STOPPED) {
                    Thread.onSpinWait();
                }
                assertThat(relayed.isActive()).as("the subscription of a topic").isFalse();
                assertThat(observed.isActive()).as("the subscription of a value").isFalse();
                assertThat(value.observers()).isZero();
            }
        }
    }
}
