package io.fibry.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorName;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

class OneAtATimeTest {
    private static final int SENDERS = 6;
    private static final int EACH = 600;

    /** Counts who is inside; the plain count is right only if they come one after another. */
    private static final class Confined {
        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger overlaps = new AtomicInteger();
        private int visits;

        void visit() {
            if (inside.incrementAndGet() != 1) {
                overlaps.incrementAndGet();
            }
            visits++;
            if (visits % 64 == 0) {
                Thread.yield();
            }
            inside.decrementAndGet();
        }
    }

    private static void sendInEveryWay(Actor<Integer, Integer> actor, Confined confined) throws Exception {
        Senders.run(SENDERS, sender -> {
            for (int i = 0; i < EACH; i++) {
                switch ((i + sender) % 8) {
                    case 0 -> actor.execute(confined::visit);
                    case 1 -> actor.execAsync(confined::visit);
                    case 2 -> actor.sendMessageReturn(i);
                    case 3 -> actor.execFuture(() -> {
                        confined.visit();
                        return null;
                    });
                    case 4 -> assertThat(actor.apply(i)).isEqualTo(i);
                    default -> actor.sendMessage(i);
                }
            }
        });
    }

    @Promise("1.1")
    @EveryStrategy
    void messagesAndCodeRunOneAfterAnother(Strategy strategy) throws Exception {
        var confined = new Confined();
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> {
                confined.visit();
                return n;
            });
            sendInEveryWay(actor, confined);
            assertThat(Waits.on(actor.execFuture(() -> confined.visits))).isEqualTo(SENDERS * EACH);
        }
        assertThat(confined.overlaps).hasValue(0);
    }

    @Promise("1.1")
    @EveryStrategy
    void aBoundedMailboxMakesNoDifference(Strategy strategy) throws Exception {
        var confined = new Confined();
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous().mailbox(MailboxPolicy.bounded(4, OverflowPolicy.block()))
                    .newActorWithReturn((Integer n) -> {
                        confined.visit();
                        return n;
                    });
            sendInEveryWay(actor, confined);
            assertThat(Waits.on(actor.execFuture(() -> confined.visits))).isEqualTo(SENDERS * EACH);
        }
        assertThat(confined.overlaps).hasValue(0);
    }

    @Promise("1.1")
    @EveryStrategy
    void timersAndKeptMessagesWaitForTheirTurnToo(Strategy strategy) throws Exception {
        var confined = new Confined();
        var ticks = new CountDownLatch(5);
        try (var scope = Scopes.on(strategy)) {
            for (int i = 0; i < 10; i++) {
                scope.sendOrKeep(ActorName.of("one"), "kept", 10);
            }
            var actor = scope.named("one").<String>newActor((context, message) -> {
                confined.visit();
                if (message.equals("kept") && !context.timers().isSet("tick")) {
                    context.timers().fixedDelay("tick", Duration.ofNanos(50_000), "tick");
                }
                if (message.equals("tick")) {
                    ticks.countDown();
                }
            });
            Senders.run(SENDERS, sender -> {
                while (ticks.getCount() > 0) {
                    actor.execAndWait(confined::visit);
                }
            });
        }
        assertThat(confined.overlaps).hasValue(0);
    }

    @Promise("1.1")
    @EveryStrategy
    void exitHooksRunAfterTheLastMessageAndBesideNone(Strategy strategy) throws Exception {
        for (int round = 0; round < 20; round++) {
            var confined = new Confined();
            var hooks = new AtomicInteger();
            var late = new AtomicInteger();
            try (var scope = Scopes.on(strategy)) {
                var actor = scope.anonymous().onExit(() -> {
                    confined.visit();
                    hooks.incrementAndGet();
                }).newActor((Integer n) -> {
                    late.addAndGet(hooks.get());
                    confined.visit();
                });
                var stopAt = 10 * round;
                Senders.run(3, sender -> {
                    for (int i = 0; i < 200; i++) {
                        actor.sendMessage(i);
                        if (sender == 0 && i == stopAt) {
                            actor.sendPoisonPill();
                        }
                    }
                });
                actor.waitForExit();
            }
            assertThat(hooks).hasValue(1);
            assertThat(late).as("messages after the hook").hasValue(0);
            assertThat(confined.overlaps).hasValue(0);
        }
    }

    @Promise("1.1")
    @EveryStrategy
    void exitHooksRunInsideTheActorAlsoIfItWasIdle(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var self = new Actor<?, ?>[1];
            var refused = new CountDownLatch(1);
            var actor = scope.anonymous().onExit(() -> {
                try {
                    self[0].waitForExit();
                } catch (IllegalStateException e) {
                    refused.countDown(); // only who is inside is refused
                }
            }).newActor((String message) -> {
            });
            self[0] = actor;
            actor.askExit();
            Waits.on(refused);
            actor.waitForExit();
        }
    }
}
