package io.fibry.cycles;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.testing.BugClass;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Patience;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Assumptions;

@BugClass(12)
class NoAskCycleTest {
    private static final int ROUNDS = 300;
    private static final int CHAIN = 300;

    @EveryStrategy
    void aLongChainIsAnswered(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            Actor<Integer, Integer> last = scope.anonymous().newActorWithReturn((Integer n) -> n);
            for (int i = 0; i < CHAIN; i++) {
                var next = last;
                last = scope.anonymous().newActorWithReturn((Integer n) -> 1 + next.apply(n));
            }
            assertThat(Waits.on(last.sendMessageReturn(0))).isEqualTo(CHAIN);
        }
    }

    /** Each actor asks only those behind it, so there never is a cycle; but edges come and go at every moment. */
    @EveryStrategy
    void chainsThatCrossEachOtherAreAnswered(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actors = new ArrayList<Actor<Integer, Integer>>();
            for (int i = 0; i < 6; i++) {
                var behind = java.util.List.copyOf(actors);
                actors.add(scope.anonymous().newActorWithReturn((Integer n) -> {
                    if (behind.isEmpty()) {
                        return n;
                    }
                    var next = behind.get(ThreadLocalRandom.current().nextInt(behind.size()));
                    return next.sendMessageReturnWait(n);
                }));
            }
            var answers = new ArrayList<CompletableFuture<Integer>>();
            for (int n = 0; n < ROUNDS; n++) {
                for (var actor : actors) {
                    answers.add(actor.sendMessageReturn(n));
                }
            }
            for (var answer : answers) {
                Waits.on(answer);
            }
        }
    }

    @EveryStrategy
    void twoThatAskEachOtherInTurnsAreAnswered(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var other = new AtomicReference<Actor<Integer, Integer>>();
            var one = scope.anonymous().newActorWithReturn((Integer n) -> n > 0 ? other.get().apply(0) : 0);
            other.set(scope.anonymous().newActorWithReturn((Integer n) -> n));
            for (int n = 0; n < ROUNDS; n++) {
                assertThat(Waits.on(one.sendMessageReturn(1))).isZero();
                assertThat(Waits.on(other.get().sendMessageReturn(1))).isEqualTo(1);
            }
        }
    }

    @EveryStrategy
    void waitingForALaterStageIsNoWaitForAnActorThatHasAnswered(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(),
                "on caller() the second ask is handled on top of the first");
        try (var scope = Scopes.on(strategy)) {
            var answered = new CountDownLatch(1);
            var later = new CompletableFuture<String>();
            var asker = new AtomicReference<Actor<String, String>>();
            Actor<String, String> asked = scope.anonymous().newActorWithReturn((String message) -> message);
            asker.set(scope.anonymous().newActorWithReturn((String message) -> switch (message) {
                case "go" -> {
                    var composed = asked.sendMessageReturn("first").thenCompose(first -> {
                        answered.countDown();
                        return later;
                    });
                    yield composed.get();
                }
                default -> message;
            }));
            var outcome = asker.get().sendMessageReturn("go");
            Waits.on(answered);
            // The actor that has answered now waits for the asker, which waits for something else.
            var back =
                    asked.execFuture(() -> asker.get().sendMessageReturn("back").get(Patience.MILLIS,
                            TimeUnit.MILLISECONDS));
            Waits.until("it waits", () -> asker.get().mailboxSize() == 1 || back.isDone());
            later.complete("later");

            assertThat(Waits.on(outcome)).isEqualTo("later");
            assertThat(Waits.on(back)).isEqualTo("back");
        }
    }
}
