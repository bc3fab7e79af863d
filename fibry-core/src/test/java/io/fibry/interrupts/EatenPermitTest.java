package io.fibry.interrupts;

import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.BugClass;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** User code that parks may take a permit that was meant for the engine's own park further out. */
@BugClass(3)
class EatenPermitTest {
    private static final int MESSAGES = 2_000;
    private static final long MICROSECOND = 1_000;

    @EveryStrategy
    void handlersThatParkTakeNoWakeUpAway(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var left = new CountDownLatch(MESSAGES);
            var actor = scope.anonymous().newActor((Integer n) -> {
                LockSupport.parkNanos(MICROSECOND);
                left.countDown();
            });
            for (int n = 0; n < MESSAGES; n++) {
                actor.sendMessage(n);
                if (n % 16 == 0) {
                    LockSupport.parkNanos(MICROSECOND); // so that it goes idle now and then
                }
            }
            Waits.on(left);
        }
    }

    @EveryStrategy
    void listenersThatParkTakeNoWakeUpAway(Strategy strategy) throws Exception {
        try (var scope = Scopes.configure().strategy(strategy.create())
                .listener(event -> LockSupport.parkNanos(MICROSECOND)).open()) {
            var left = new CountDownLatch(2 * MESSAGES);
            // At this bound and mark each message that gets in is reported, by its sender.
            var actor = scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.block()))
                    .newActor((Integer n) -> left.countDown());
            var senders = new ArrayList<Thread>();
            for (int i = 0; i < 2; i++) {
                senders.add(Thread.ofPlatform().start(() -> {
                    for (int n = 0; n < MESSAGES; n++) {
                        actor.sendMessage(n);
                    }
                }));
            }
            for (var sender : senders) {
                Waits.on(sender);
            }
            Waits.on(left);
        }
    }

    @EveryStrategy
    void predicatesThatParkTakeNoWakeUpAway(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var left = new CountDownLatch(MESSAGES);
            var actor = scope.anonymous().<Integer>newReceivingActor(context -> {
                while (true) {
                    context.receive(n -> {
                        LockSupport.parkNanos(MICROSECOND);
                        return true;
                    });
                    left.countDown();
                }
            });
            for (int n = 0; n < MESSAGES; n++) {
                actor.sendMessage(n);
                LockSupport.parkNanos(MICROSECOND);
            }
            Waits.on(left);
        }
    }
}
