package io.fibry.mailbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.CreationStrategy;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Undelivered;
import io.fibry.testing.BugClass;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Whatever has become of the receiver, the sender gets one documented result. */
@BugClass(25)
class SenderResultsTest {
    @EveryStrategy
    void allWaysToSendToAStoppedActorAreHarmless(Strategy strategy) throws Exception {
        var events = new Recorder();
        var scope = Scopes.configure().strategy(strategy.create()).listener(events).open();
        try (scope) {
            var actor = scope.named("gone").newActorWithReturn((Integer n) -> n);
            actor.close();

            assertThat(actor.sendMessage(1)).isFalse();
            actor.accept(2);
            assertThat(actor.execAsync(() -> {
            })).isFalse();
            assertThat(Waits.failure(actor.sendMessageReturn(3))).isInstanceOf(ActorStoppedException.class);
            assertThat(Waits.failure(actor.ask(4, Duration.ofHours(1))))
                    .isInstanceOf(ActorStoppedException.class);
            assertThatThrownBy(() -> actor.sendMessageReturnWait(5)).isInstanceOf(ExecutionException.class);
            assertThat(Waits.failure(actor.execFuture(() -> 6))).isInstanceOf(ActorStoppedException.class);
            assertThatThrownBy(() -> actor.execAndWait(() -> {
            })).isInstanceOf(ExecutionException.class);
            assertThatThrownBy(() -> actor.execute(() -> {
            })).isInstanceOf(RejectedExecutionException.class).hasMessageContaining("gone");
            assertThat(scope.sendOrKeep(ActorName.of("gone"), 7, 0)).isFalse();
        }
        assertThat(events.of(Undelivered.class)).hasSize(10);
        assertThat(scope.counters().refused()).isEqualTo(10);
    }

    @EveryStrategy
    void aHandlerThatSendsToAClosedScopeGoesOn(Strategy strategy) throws Exception {
        var closed = Scopes.on(strategy);
        var receiver = closed.anonymous().newActorWithReturn((Integer n) -> n);
        closed.close();
        try (var scope = Scopes.on(strategy)) {
            var sender = scope.anonymous().newActorWithReturn((Integer n) -> receiver.sendMessage(n) ? 1 : 0);
            assertThat(Waits.on(sender.sendMessageReturn(1))).isZero();
            assertThat(sender.counters().failed()).isZero();
        }
        assertThatThrownBy(() -> closed.anonymous().newActor((Integer n) -> {
        })).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void anExecutorRejectsInTheWayOfExecutorsAlsoWhenAFullMailboxFails() throws Exception {
        assertRejects(OverflowPolicy.fail());
        assertRejects(OverflowPolicy.reject());
        assertRejects(OverflowPolicy.dropNewest());
    }

    private static void assertRejects(OverflowPolicy policy) throws Exception {
        var handling = new CountDownLatch(1);
        var release = new CountDownLatch(1);
        try (var scope = full(policy)) {
            var actor = scope.anonymous().newActor((Integer n) -> {
                handling.countDown();
                Waits.on(release);
            });
            actor.sendMessage(1);
            Waits.on(handling);
            actor.sendMessage(2);
            assertThatThrownBy(() -> actor.execute(() -> {
            })).isInstanceOf(RejectedExecutionException.class);
            if (policy.equals(OverflowPolicy.fail())) {
                assertThatThrownBy(() -> actor.sendMessage(3)).isInstanceOf(MailboxFullException.class);
                assertThatThrownBy(() -> actor.sendMessageReturn(3)).isInstanceOf(MailboxFullException.class);
            } else {
                assertThat(actor.sendMessage(3)).isFalse();
                assertThat(Waits.failure(actor.sendMessageReturn(3)))
                        .isInstanceOf(MailboxFullException.class);
            }
            release.countDown();
        }
    }

    private static ActorScope full(OverflowPolicy policy) {
        return Scopes.configure().strategy(CreationStrategy.fibers())
                .mailbox(MailboxPolicy.bounded(1, policy))
                .open();
    }
}
