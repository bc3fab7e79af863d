package io.fibry.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.FailurePolicy;
import io.fibry.event.Failed;
import io.fibry.event.Stopped;
import io.fibry.testing.BugClass;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Thrown;
import io.fibry.testing.Waits;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

@BugClass({19, 20})
class ThrownErrorsTest {
    private final Recorder events = new Recorder();

    private ActorScope scope(Strategy strategy) {
        return Scopes.configure().strategy(strategy.create()).listener(events).open();
    }

    private static int answer(String message) {
        if (!message.equals("fine")) {
            Thrown.valueOf(message).fail();
        }
        return 1;
    }

    private static void assertAlive(Actor<String, Integer> actor) throws Exception {
        assertThat(Waits.on(actor.sendMessageReturn("fine"))).isEqualTo(1);
    }

    @EveryStrategy
    void whateverAHandlerThrowsTheActorAndOthersGoOn(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().newActorWithReturn(ThrownErrorsTest::answer);
            var other = scope.anonymous().newActorWithReturn(ThrownErrorsTest::answer);
            for (var thrown : Thrown.values()) {
                assertThat(actor.sendMessage(thrown.name())).isTrue();
                assertAlive(actor);
                assertAlive(other);
            }
            assertThat(events.await(Failed.class, Thrown.values().length)).hasSize(Thrown.values().length)
                    .allMatch(failed -> failed.actor().equals(actor.name()));
            assertThat(actor.counters().failed()).isEqualTo(Thrown.values().length);
        }
    }

    @EveryStrategy
    void whateverAHandlerThrowsTheAskerGetsIt(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().newActorWithReturn(ThrownErrorsTest::answer);
            for (var thrown : Thrown.values()) {
                assertThat(Waits.failure(actor.sendMessageReturn(thrown.name())))
                        .hasSameClassAs(catchThrowable(thrown::fail));
                assertThat(Waits.failure(actor.execFuture(() -> answer(thrown.name()))))
                        .hasSameClassAs(catchThrowable(thrown::fail));
                assertThat(catchThrowable(() -> actor.execAndWait(thrown::fail)))
                        .isInstanceOf(ExecutionException.class);
                actor.execute(thrown::fail);
                assertAlive(actor);
            }
        }
    }

    @EveryStrategy
    void whateverAHandlerThrowsAnActorThatIsToStopStopsAndIsReported(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            for (var thrown : Thrown.values()) {
                var hooks = new AtomicInteger();
                var actor = scope.named(thrown.name()).onFailure(FailurePolicy.stop())
                        .onExit(hooks::incrementAndGet).newActorWithReturn(ThrownErrorsTest::answer);
                actor.sendMessage(thrown.name());
                Waits.stopped(actor);
                assertThat(hooks).hasValue(1);
            }
            assertThat(events.of(Stopped.class)).hasSize(Thrown.values().length)
                    .allMatch(stopped -> stopped.reason() == Stopped.Reason.FAILURE);
        }
    }

    @EveryStrategy
    void whateverTheMakingOfAStateThrowsItIsTriedAgain(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            for (var thrown : Thrown.values()) {
                var tries = new AtomicInteger();
                var actor = scope.anonymous().state(() -> {
                    if (tries.incrementAndGet() <= 2) {
                        thrown.fail();
                    }
                    return "state";
                }).newActorWithReturn((String state, String message) -> state.length());
                assertThat(Waits.failure(actor.sendMessageReturn("fails")))
                        .hasSameClassAs(catchThrowable(thrown::fail));
                actor.sendMessage("fails");
                assertThat(Waits.on(actor.sendMessageReturn("works"))).isEqualTo(5);
            }
        }
    }
}
