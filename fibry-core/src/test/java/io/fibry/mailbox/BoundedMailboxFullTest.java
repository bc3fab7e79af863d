package io.fibry.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorName;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BoundedMailboxFullTest {
    private static final int CAPACITY = 8;

    @Promise("4.4")
    @EveryStrategy
    void noMoreThanTheCapacityEverWaits(Strategy strategy) throws Exception {
        for (var policy : List.of(OverflowPolicy.block(), OverflowPolicy.dropNewest(),
                OverflowPolicy.dropOldest(), OverflowPolicy.reject())) {
            var most = new AtomicInteger();
            try (var scope = Scopes.on(strategy)) {
                var actor = scope.anonymous().mailbox(MailboxPolicy.bounded(CAPACITY, policy))
                        .newActor((Integer n) -> {
                            if (n % 50 == 0) {
                                Thread.yield();
                            }
                        });
                Senders.run(6, sender -> {
                    for (int i = 0; i < 2_000; i++) {
                        actor.sendMessage(i);
                        most.accumulateAndGet(actor.mailboxSize(), Math::max);
                    }
                });
            }
            assertThat(most).as("%s", policy).hasValueLessThanOrEqualTo(CAPACITY);
        }
    }

    @Promise("4.4")
    @EveryStrategy
    void racingSendersFillItToTheLastPlaceAndNoFurther(Strategy strategy) throws Exception {
        for (int round = 0; round < 30; round++) {
            var accepted = new AtomicInteger();
            try (var scope = Scopes.on(strategy)) {
                var actor = scope.anonymous()
                        .mailbox(MailboxPolicy.bounded(CAPACITY, OverflowPolicy.reject()))
                        .newActor((Integer n) -> {
                        });
                try (var gate = Gate.in(actor)) {
                    Senders.run(4, sender -> {
                        for (int i = 0; i < CAPACITY; i++) {
                            if (actor.sendMessage(i)) {
                                accepted.incrementAndGet();
                            }
                        }
                    });
                    assertThat(actor.mailboxSize()).isEqualTo(CAPACITY);
                    gate.open();
                }
            }
            assertThat(accepted).hasValue(CAPACITY);
        }
    }

    @Promise("4.4")
    @EveryStrategy
    void messagesPassedOverStillCount(Strategy strategy) throws Exception {
        var refused = new AtomicInteger();
        var most = new AtomicInteger();
        var looked = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy)) {
            Actor<Integer, Void> actor = scope.anonymous()
                    .mailbox(MailboxPolicy.bounded(2, OverflowPolicy.reject()))
                    .newReceivingActor((context, first) -> {
                        if (first == 0) {
                            // Both are looked at and passed over; while one is looked at, another one comes.
                            context.receive(n -> {
                                if (!context.self().sendMessage(n + 10)) {
                                    refused.incrementAndGet();
                                }
                                return false;
                            }, Duration.ZERO);
                            most.set(context.self().mailboxSize());
                            looked.countDown();
                        }
                    });
            try (var gate = Gate.in(actor)) {
                actor.sendMessage(0);
                actor.sendMessage(1);
                gate.open();
                Waits.on(looked);
            }
        }
        assertThat(most).hasValueLessThanOrEqualTo(2);
        assertThat(refused).hasPositiveValue();
    }

    @Promise("4.4")
    @EveryStrategy
    void keptMessagesAndTicksAreLetInPastTheBound(Strategy strategy) throws Exception {
        var time = new ManualTime();
        var got = new ArrayList<String>();
        try (var scope = Scopes.on(strategy, event -> {
        }, time)) {
            for (var message : List.of("kept 1", "kept 2", "kept 3")) {
                scope.sendOrKeep(ActorName.of("small"), message, 3);
            }
            var actor = scope.named("small").mailbox(MailboxPolicy.bounded(1, OverflowPolicy.reject()))
                    .<String>newActor((context, message) -> {
                        got.add(message);
                        if (message.startsWith("kept")) {
                            context.timers().once("tick", Duration.ofSeconds(1), "tick");
                        }
                    });
            Patience.spin("all are handled", () -> time.pending() > 0 && actor.mailboxSize() == 0);
            try (var gate = Gate.in(actor)) {
                assertThat(actor.sendMessage("fits")).isTrue();
                time.advance(Duration.ofSeconds(1));
                assertThat(actor.sendMessage("too many")).isFalse();
                gate.open();
            }
        }
        assertThat(got).contains("kept 1", "kept 2", "kept 3", "fits", "tick").doesNotContain("too many");
    }

    @Promise("4.4")
    @Test
    void theBodyOfAReceivingActorIsNoMessage() throws Exception {
        var start = new CountDownLatch(1);
        var ran = new CountDownLatch(1);
        var slow = CreationStrategy.of(turn -> Thread.startVirtualThread(() -> {
            try {
                Waits.on(start);
                turn.run();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }));
        try (var scope = ActorSystem.configure("test").strategy(slow).listener(event -> {
        }).open()) {
            Actor<String, Void> actor = scope.anonymous()
                    .mailbox(MailboxPolicy.bounded(1, OverflowPolicy.dropOldest()))
                    .newReceivingActor(context -> ran.countDown());
            var size = actor.mailboxSize();
            actor.sendMessage("takes the one place");
            actor.sendMessage("drops that");
            start.countDown();
            actor.stop(Duration.ofSeconds(10));
            assertThat(ran.getCount()).as("bodies that were dropped").isZero();
            assertThat(size).isZero();
        }
    }
}
