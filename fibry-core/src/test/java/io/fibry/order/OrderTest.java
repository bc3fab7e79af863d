package io.fibry.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

class OrderTest {
    private static final int SENDERS = 4;
    private static final int EACH = 3_000;

    private record Numbered(int sender, int number) {
    }

    /** Checks what arrives from each sender. Used inside one actor only. */
    private static final class Ledger {
        private final int[] next = new int[SENDERS];
        private final List<String> faults = new ArrayList<>();

        void add(Numbered message) {
            if (next[message.sender] != message.number) {
                faults.add(message + " instead of number " + next[message.sender]);
            }
            next[message.sender] = message.number + 1;
        }
    }

    private static void sendersKeepTheirOrder(ActorBuilder builder) throws Exception {
        var ledger = new Ledger();
        Actor<Numbered, Void> actor = builder.newActor(ledger::add);
        Senders.run(SENDERS, sender -> {
            for (int i = 0; i < EACH; i++) {
                var message = new Numbered(sender, i);
                switch (i % 4) {
                    case 0 -> actor.execute(() -> ledger.add(message));
                    case 1 -> actor.sendMessageReturn(message);
                    default -> actor.sendMessage(message);
                }
            }
        });
        actor.execAndWait(() -> {
            assertThat(ledger.faults).isEmpty();
            assertThat(ledger.next).containsOnly(EACH);
        });
    }

    @Promise("2.1")
    @EveryStrategy
    void messagesOfOneSenderAreHandledAsSent(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            sendersKeepTheirOrder(scope.anonymous());
        }
    }

    @Promise("2.1")
    @EveryStrategy
    void alsoWhenTheyWaitForRoom(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            sendersKeepTheirOrder(
                    scope.anonymous().mailbox(MailboxPolicy.bounded(3, OverflowPolicy.block())));
        }
    }

    @Promise("2.1")
    @EveryStrategy
    void messagesOfOneActorAreHandledAsSent(Strategy strategy) throws Exception {
        var count = 5_000; // several turns' budgets
        try (var scope = Scopes.on(strategy)) {
            var got = new ArrayList<Integer>();
            var receiver = scope.anonymous().newActor((Integer n) -> {
                got.add(n);
            });
            var sender = scope.anonymous().newActor((Integer n) -> {
                for (int i = 0; i < n; i++) {
                    receiver.sendMessage(i);
                }
            });
            sender.sendMessage(count);
            sender.execAndWait(() -> {
            });
            receiver.execAndWait(
                    () -> assertThat(got)
                            .containsExactlyElementsOf(IntStream.range(0, count).boxed().toList()));
        }
    }

    @Promise("2.1")
    @EveryStrategy
    void laterReceivesFindPassedOverMessagesAsTheyCame(Strategy strategy) throws Exception {
        var got = new ArrayList<String>();
        var ready = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy)) {
            Actor<String, Void> actor = scope.anonymous().newReceivingActor((context, first) -> {
                ready.countDown();
                for (int i = 0; i < 3; i++) {
                    got.add(context.receive(m -> m.startsWith("b")));
                }
                got.add(context.receive(m -> m.equals("a3")));
                got.add(context.receive());
                got.add(context.receive(m -> m.startsWith("a")));
            });
            var starter = Thread.startVirtualThread(() -> actor.sendMessage("go"));
            Waits.on(ready);
            for (var message : List.of("a1", "c1", "b1", "a2", "b2", "a3", "a4", "b3")) {
                actor.sendMessage(message);
            }
            actor.sendPoisonPill();
            actor.waitForExit();
            Waits.on(starter);
        }
        assertThat(got).containsExactly("b1", "b2", "b3", "a3", "a1", "a2");
    }

    @Promise("2.1")
    @EveryStrategy
    void theHandlerFindsPassedOverMessagesAsTheyCameBeforeNewerOnes(Strategy strategy) throws Exception {
        var got = new ArrayList<String>();
        var ready = new CountDownLatch(1);
        var end = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy)) {
            Actor<String, Void> actor = scope.anonymous().newReceivingActor((context, message) -> {
                got.add(message);
                if (message.equals("newer")) {
                    end.countDown();
                }
                if (message.equals("go")) {
                    ready.countDown();
                    got.add(context.receive(m -> m.equals("x")));
                    context.self().sendMessage("newer");
                }
            });
            var starter = Thread.startVirtualThread(() -> actor.sendMessage("go"));
            Waits.on(ready);
            for (var message : List.of("1", "2", "x", "3", "4")) {
                actor.sendMessage(message);
            }
            Waits.on(end);
            actor.sendPoisonPill();
            actor.waitForExit();
            Waits.on(starter);
        }
        assertThat(got).startsWith("go", "x", "1", "2").containsSubsequence("1", "2", "3", "4")
                .containsSubsequence("2", "newer").hasSize(7);
    }
}
