package io.fibry.internal.actor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorException;
import io.fibry.CreationStrategy;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Patience;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/** An ask that fails because no handler gets it differs from one whose handler throws the same exception. */
class LostAnswersTest {
    @EveryStrategy
    void whatNoHandlerGetsIsLost(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var begun = new CountDownLatch(1);
            var goOn = new CountDownLatch(1);
            var actor = scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.dropOldest()))
                    .strategy(CreationStrategy.threads())
                    .newActorWithReturn((Integer number) -> {
                        begun.countDown();
                        Waits.on(goOn);
                        return number;
                    });
            var first = actor.sendMessageReturn(1);
            Waits.until("the handler has begun", () -> begun.getCount() == 0);
            var dropped = actor.sendMessageReturn(2);
            var queued = actor.sendMessageReturn(3);
            assertThat(Waits.failure(dropped)).isInstanceOf(MailboxFullException.class);
            assertThat(Losses.isLost(dropped)).isTrue();
            goOn.countDown();
            assertThat(first).succeedsWithin(Patience.LIMIT);
            assertThat(queued).succeedsWithin(Patience.LIMIT);
            assertThat(Losses.isLost(queued)).isFalse();
            actor.stop(Duration.ofSeconds(30));
            var refused = actor.sendMessageReturn(4);
            assertThat(Waits.failure(refused)).isInstanceOf(ActorException.class);
            assertThat(Losses.isLost(refused)).isTrue();
        }
    }

    @EveryStrategy
    void whatAHandlerThrowsIsNotLost(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous().newActorWithReturn((String text) -> {
                throw new MailboxFullException(text);
            });
            var failed = actor.sendMessageReturn("my printer is full");
            assertThat(Waits.failure(failed)).isInstanceOf(MailboxFullException.class);
            assertThat(Losses.isLost(failed)).isFalse();
            var cancelled = new CompletableFuture<String>();
            cancelled.cancel(false);
            assertThat(Losses.isLost(cancelled)).isFalse();
        }
    }
}
