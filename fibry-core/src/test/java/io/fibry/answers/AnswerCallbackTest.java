package io.fibry.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.AskCycleException;
import io.fibry.testing.BugClass;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Probe;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Assumptions;

@BugClass(13)
class AnswerCallbackTest {
    private static final int ASKS = 500;

    @EveryStrategy
    void aCallbackRunsWhereTheAnswerWasMadeAndNotInTheAsker(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() there is one thread only");
        try (var scope = Scopes.on(strategy)) {
            var registered = new CountDownLatch(1);
            var handledOn = new CompletableFuture<Thread>();
            var asked = scope.anonymous().newActorWithReturn((String message) -> {
                Waits.on(registered);
                handledOn.complete(Thread.currentThread());
                return message;
            });
            var calledOn = new CompletableFuture<Thread>();
            scope.anonymous().newActor((String go) -> {
                asked.sendMessageReturn(go).thenAccept(answer -> calledOn.complete(Thread.currentThread()));
                registered.countDown();
            }).sendMessage("go");

            assertThat(Waits.on(calledOn)).isSameAs(Waits.on(handledOn));
        }
    }

    @EveryStrategy
    void aCallbackThatIsGivenTheActorAsItsExecutorRunsInTurnWithTheActorsMessages(Strategy strategy)
            throws Exception {
        var probe = new Probe();
        try (var scope = Scopes.on(strategy)) {
            var asked = scope.anonymous().newActorWithReturn((Integer n) -> n);
            var stages = new ArrayList<CompletableFuture<Void>>();
            var asker = scope.anonymous().<Integer>newActor((context, n) -> {
                probe.enter();
                stages.add(
                        asked.sendMessageReturn(n).thenAcceptAsync(answer -> probe.visit(), context.self()));
                probe.leave();
            });
            for (int n = 0; n < ASKS; n++) {
                asker.sendMessage(n);
            }
            asker.execAndWait(() -> {
            });
            for (var stage : stages) {
                Waits.on(stage);
            }
        }
        probe.assertNeverTwoInside();
        assertThat(probe.visits()).isEqualTo(2 * ASKS);
    }

    @EveryStrategy
    void aCallbackThatThrowsHarmsOnlyItsOwnStage(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var asked = scope.anonymous().newActorWithReturn((Integer n) -> n);
            for (int n = 0; n < 10; n++) {
                var answer = asked.sendMessageReturn(n);
                var stage = answer.thenApply(value -> {
                    throw new StackOverflowError();
                });
                assertThat(Waits.failure(stage)).isInstanceOf(StackOverflowError.class);
                assertThat(Waits.on(answer)).isEqualTo(n);
            }
            assertThat(asked.counters().handled()).isEqualTo(10);
            assertThat(asked.counters().failed()).isZero();
        }
    }

    @EveryStrategy
    void aCallbackThatAsksTheActorOnWhoseThreadItRunsFailsAtOnce(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() the callback runs after the handler");
        try (var scope = Scopes.on(strategy)) {
            var registered = new CountDownLatch(1);
            var asked = scope.anonymous().newActorWithReturn((Integer n) -> {
                Waits.on(registered);
                return n;
            });
            var stage = asked.sendMessageReturn(1).thenApply(asked::apply);
            registered.countDown();

            assertThat(Waits.failure(stage)).isInstanceOf(AskCycleException.class);
            assertThat(Waits.on(asked.sendMessageReturn(2))).isEqualTo(2);
        }
    }
}
