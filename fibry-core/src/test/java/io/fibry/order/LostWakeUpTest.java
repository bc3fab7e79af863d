package io.fibry.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorBuilder;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.BugClass;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

@BugClass(1)
class LostWakeUpTest {
    private static final int ROUNDS = 20_000;
    private static final int SENDERS = 3;

    @EveryStrategy
    void aMessageSentJustAsTheActorGoesIdleIsHandled(Strategy strategy) {
        try (var scope = Scopes.on(strategy)) {
            sendOneByOne(scope.anonymous());
        }
    }

    @EveryStrategy
    void aMessageSentJustAsABoundedActorGoesIdleIsHandled(Strategy strategy) {
        try (var scope = Scopes.on(strategy)) {
            sendOneByOne(scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.block())));
        }
    }

    /** Each message is sent the moment the one before is handled, so while the turn looks for more. */
    private static void sendOneByOne(ActorBuilder builder) {
        var seen = new AtomicInteger();
        var actor = builder.newActor((Integer n) -> seen.set(n));
        for (int n = 1; n <= ROUNDS; n++) {
            assertThat(actor.sendMessage(n)).isTrue();
            var expected = n;
            for (int spins = 0; seen.get() != expected && spins < 1_000; spins++) {
                Thread.onSpinWait();
            }
            if (seen.get() != expected) {
                Waits.until("message " + n + " is handled", () -> seen.get() == expected);
            }
        }
    }

    @EveryStrategy
    void allMessagesOfManySendersAreHandled(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var left = new CountDownLatch(SENDERS * ROUNDS);
            var actor = scope.anonymous().newActor((Integer n) -> left.countDown());
            var senders = new ArrayList<Thread>();
            for (int i = 0; i < SENDERS; i++) {
                senders.add(Thread.ofVirtual().start(() -> {
                    for (int n = 0; n < ROUNDS; n++) {
                        actor.sendMessage(n);
                        if (n % 7 == 0) {
                            Thread.yield();
                        }
                    }
                }));
            }
            for (var sender : senders) {
                Waits.on(sender);
            }
            Waits.on(left);
        }
    }
}
