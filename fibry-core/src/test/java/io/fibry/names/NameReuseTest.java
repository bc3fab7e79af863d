package io.fibry.names;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.HighWater;
import io.fibry.testing.BugClass;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Repetition;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

@BugClass(28)
class NameReuseTest {
    private static final int ROUNDS = 1_000;

    /** The stopped actor's clean-up comes at every moment of the new one's life, and must not take its name. */
    @EveryStrategy
    void aNameIsUsedAgainAndAgainWhileOthersLookItUp(Strategy strategy) throws Exception {
        var scope = Scopes.on(strategy);
        var accepted = new LongAdder();
        var handled = new LongAdder();
        var offered = new LongAdder();
        try (scope; var finders = new Repetition()) {
            for (int i = 0; i < 2; i++) {
                finders.start(() -> {
                    offered.increment();
                    var kept = offered.sum() % 2 == 0 ? 0 : 10;
                    if (scope.sendOrKeep(ActorName.of("phoenix"), 1, kept)) {
                        accepted.increment();
                    }
                    Thread.yield();
                });
            }
            for (int round = 0; round < ROUNDS; round++) {
                var actor = scope.named("phoenix").newActor((Integer n) -> handled.increment());
                assertThat(scope.<Integer, Void>find(ActorName.of("phoenix"))).containsSame(actor);
                assertThatThrownBy(() -> scope.named("phoenix").newActor((Integer n) -> {
                })).isInstanceOf(IllegalArgumentException.class);
                if (round % 2 == 0) {
                    actor.sendPoisonPill();
                } else {
                    actor.askExit();
                }
                Waits.stopped(actor);
            }
            finders.end();
        }
        var counters = scope.counters();
        assertThat(counters.total()).isEqualTo(offered.sum());
        assertThat(counters.handled()).isEqualTo(handled.sum());
        assertThat(counters.refused()).isEqualTo(offered.sum() - accepted.sum());
    }

    @EveryStrategy
    void aSecondExitOfAnActorDoesNotTakeTheNameOfTheNext(Strategy strategy) {
        try (var scope = Scopes.on(strategy)) {
            var first = scope.named("name").newActor((Integer n) -> {
            });
            first.close();
            var second = scope.named("name").newActor((Integer n) -> {
            });
            first.askExit();
            first.close();
            first.sendMessage(1);

            assertThat(scope.<Integer, Void>find(ActorName.of("name"))).containsSame(second);
        }
    }

    @EveryStrategy
    void aNameThatCouldNotBeTakenLeavesNothing(Strategy strategy) {
        try (var scope = Scopes.on(strategy)) {
            var first = scope.named("name").newActor((Integer n) -> {
            });
            var ran = new LongAdder();
            assertThatThrownBy(() -> scope.named("name").onExit(ran::increment).newActor((Integer n) -> {
            })).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("'name'");
            assertThat(scope.<Integer, Void>find(ActorName.of("name"))).containsSame(first);
            assertThat(ran.sum()).isZero();
        }
    }

    @Test
    void aListenerThatHearsOfKeptMessagesMayUseTheNames() throws Exception {
        var heard = new CountDownLatch(1);
        var found = new CompletableFuture<Boolean>();
        var scope = new CompletableFuture<ActorScope>();
        scope.complete(Scopes.configure().mailbox(MailboxPolicy.bounded(2, OverflowPolicy.reject()))
                .listener(event -> {
                    if (event instanceof HighWater) {
                        heard.countDown();
                        scope.join().sendOrKeep(ActorName.of("other"), "kept", 1);
                        found.complete(scope.join().find(ActorName.of("late")).isPresent());
                    }
                }).open());
        try (var open = scope.join()) {
            for (int n = 0; n < 5; n++) {
                assertThat(open.sendOrKeep(ActorName.of("late"), n, 10)).isTrue();
            }
            var handled = new CountDownLatch(5);
            Actor<Integer, Void> late = open.named("late").newActor((Integer n) -> handled.countDown());
            Waits.on(handled);
            assertThat(late.sendMessage(5)).isTrue();
            if (heard.getCount() == 0) {
                assertThat(Waits.on(found)).isTrue();
            }
        }
    }
}
