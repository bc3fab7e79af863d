package io.fibry.internal.actor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.internal.memory.Interleave;
import io.fibry.testing.BugClass;
import io.fibry.testing.Child;
import io.fibry.testing.Waits;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A sender stops where it has announced its message to the mailbox and not linked it yet. */
@BugClass(4)
class BubbleTest {
    private final CountDownLatch arrived = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private final CountDownLatch handling = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final List<Integer> order = new CopyOnWriteArrayList<>();

    @AfterEach
    void letAllPass() {
        release.countDown();
        Interleave.hook(() -> {
        });
    }

    private Thread heldSender(Actor<Integer, Void> actor, int message) {
        var sender = Thread.ofPlatform().unstarted(() -> actor.sendMessage(message));
        Interleave.hook(() -> {
            if (Thread.currentThread() == sender && actor.mailboxSize() > 0 && arrived.getCount() > 0) {
                arrived.countDown();
                try {
                    Waits.on(release);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        });
        return sender;
    }

    /** An actor that handles 1 and whose list of messages has a gap after that. */
    private Actor<Integer, Void> actorWithAGap(ActorScope scope, MailboxPolicy mailbox)
            throws InterruptedException {
        var actor = scope.anonymous().mailbox(mailbox).newActor((Integer n) -> {
            handling.countDown();
            Waits.on(goOn);
            order.add(n);
        });
        actor.sendMessage(1);
        Waits.on(handling);
        heldSender(actor, 2).start();
        Waits.on(arrived);
        return actor;
    }

    private static MailboxPolicy mailbox(boolean bounded) {
        return bounded ? MailboxPolicy.bounded(10, OverflowPolicy.reject()) : MailboxPolicy.unbounded();
    }

    private void assertOthersGoOn(CreationStrategy strategy, boolean bounded) throws Exception {
        try (var scope = ActorSystem.configure("gap").strategy(strategy).open()) {
            var actor = actorWithAGap(scope, mailbox(bounded));
            assertThat(actor.sendMessage(3)).isTrue();
            goOn.countDown();
            Waits.until("the first is handled", () -> order.equals(List.of(1)));

            var other = scope.anonymous().newActorWithReturn((Integer n) -> n);
            for (int n = 0; n < 1_000; n++) {
                assertThat(Waits.on(other.sendMessageReturn(n))).isEqualTo(n);
            }
            assertThat(order).containsExactly(1);

            release.countDown();
            Waits.until("all are handled", () -> order.equals(List.of(1, 2, 3)));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aHeldSenderHoldsUpOnlyItsActor(boolean bounded) throws Exception {
        assertOthersGoOn(CreationStrategy.fibers(), bounded);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aHeldSenderHoldsUpOnlyItsActorOnThreads(boolean bounded) throws Exception {
        assertOthersGoOn(CreationStrategy.threads(), bounded);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aHeldSenderHoldsUpOnlyItsActorOnOneCarrier(boolean bounded) throws Exception {
        Child.run(OneCarrier.class, List.of("-Djdk.virtualThreadScheduler.parallelism=1",
                "-Djdk.virtualThreadScheduler.maxPoolSize=1", "-ea", "-Dio.fibry.interleave=true"),
                String.valueOf(bounded));
    }

    static final class OneCarrier {
        public static void main(String[] arguments) throws Exception {
            new BubbleTest().assertOthersGoOn(CreationStrategy.fibers(),
                    Boolean.parseBoolean(arguments[0]));
        }
    }

    @Test
    void aStopWaitsForTheHeldSendersMessageAndReportsIt() throws Exception {
        var scope = ActorSystem.configure("gap").listener(event -> {
        }).open();
        try (scope) {
            var actor = actorWithAGap(scope, MailboxPolicy.unbounded());
            actor.askExit();
            goOn.countDown();
            release.countDown();
            Waits.stopped(actor);
        }
        assertThat(scope.counters().handled()).isEqualTo(1);
        assertThat(scope.counters().undelivered()).isEqualTo(1);
    }
}
