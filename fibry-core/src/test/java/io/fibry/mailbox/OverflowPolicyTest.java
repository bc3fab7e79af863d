package io.fibry.mailbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

class OverflowPolicyTest {
    private final List<Integer> handled = new CopyOnWriteArrayList<>();

    private Actor<Integer, Integer> actor(ActorScope scope, int capacity, OverflowPolicy policy) {
        return scope.named("full").mailbox(MailboxPolicy.bounded(capacity, policy))
                .newActorWithReturn((Integer n) -> {
                    handled.add(n);
                    return n;
                });
    }

    @Promise({"4.4", "6.1"})
    @EveryStrategy
    void dropNewestDropsTheNewOne(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy); var actor = actor(scope, 2, OverflowPolicy.dropNewest())) {
            try (var gate = Gate.in(actor)) {
                assertThat(actor.sendMessage(1)).isTrue();
                assertThat(actor.sendMessage(2)).isTrue();
                assertThat(actor.sendMessage(3)).isFalse();
                assertThat(Waits.failure(actor.sendMessageReturn(4)))
                        .isInstanceOf(MailboxFullException.class).hasMessageContaining("'full'");
                gate.open();
            }
        }
        assertThat(handled).containsExactly(1, 2);
    }

    @Promise({"4.4", "6.1"})
    @EveryStrategy
    void dropOldestDropsTheOneThatHasWaitedLongest(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy); var actor = actor(scope, 2, OverflowPolicy.dropOldest())) {
            try (var gate = Gate.in(actor)) {
                var dropped = actor.sendMessageReturn(1);
                for (int i = 2; i <= 5; i++) {
                    assertThat(actor.sendMessage(i)).isTrue();
                }
                assertThat(Waits.failure(dropped)).isInstanceOf(MailboxFullException.class);
                gate.open();
            }
        }
        assertThat(handled).containsExactly(4, 5);
    }

    @Promise({"4.4", "6.1"})
    @EveryStrategy
    void rejectRefusesTheNewOne(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy); var actor = actor(scope, 1, OverflowPolicy.reject())) {
            try (var gate = Gate.in(actor)) {
                assertThat(actor.sendMessage(1)).isTrue();
                assertThat(actor.sendMessage(2)).isFalse();
                assertThat(Waits.failure(actor.sendMessageReturn(3)))
                        .isInstanceOf(MailboxFullException.class);
                assertThat(actor.execAsync(() -> {
                })).isFalse();
                gate.open();
            }
        }
        assertThat(handled).containsExactly(1);
    }

    @Promise({"4.4", "6.1"})
    @EveryStrategy
    void failThrows(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy); var actor = actor(scope, 1, OverflowPolicy.fail())) {
            try (var gate = Gate.in(actor)) {
                assertThat(actor.sendMessage(1)).isTrue();
                assertThatThrownBy(() -> actor.sendMessage(2)).isInstanceOf(MailboxFullException.class)
                        .hasMessageContainingAll("'full'", "java.lang.Integer", "capacity=1");
                assertThatThrownBy(() -> actor.sendMessageReturn(3))
                        .isInstanceOf(MailboxFullException.class);
                gate.open();
            }
        }
        assertThat(handled).containsExactly(1);
    }

    @Promise({"4.4", "6.1"})
    @EveryStrategy
    void blockWaitsForRoom(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy); var actor = actor(scope, 1, OverflowPolicy.block())) {
            var sent = new CompletableFuture<Boolean>();
            try (var gate = Gate.in(actor)) {
                assertThat(actor.sendMessage(1)).isTrue();
                var sender = Thread.ofPlatform().start(() -> sent.complete(actor.sendMessage(2)));
                Patience.spin("it waits for room", () -> sender.getState() == Thread.State.WAITING);
                assertThat(sent).isNotDone();
                gate.open();
            }
            assertThat(Waits.on(sent)).isTrue();
        }
        assertThat(handled).containsExactly(1, 2);
    }
}
