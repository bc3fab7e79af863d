package io.fibry.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorName;
import io.fibry.Counters;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;

class MessageFatesTest {
    @Promise({"4.1", "5.4"})
    @EveryStrategy
    void eachMessageIsCountedUnderItsOneFate(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> 100 / n);
            try (var gate = Gate.in(actor)) {
                actor.sendMessage(1);
                actor.sendMessage(0);
                actor.sendMessageReturn(0);
                actor.sendMessageReturn(1).cancel(false);
                gate.open();
            }
            actor.execAndWait(() -> {
            });
            try (var gate = Gate.in(actor)) {
                actor.sendMessage(1);
                actor.sendMessageReturn(1);
                actor.execAsync(() -> {
                });
                actor.sendMessageReturn(1).cancel(false);
                actor.askExit();
                gate.open();
            }
            actor.waitForExit();
            actor.sendMessage(1);
            actor.sendMessageReturn(1);
            actor.execAsync(() -> {
            });

            // Handled: two gates, the wait, and one message.
            assertThat(actor.counters()).isEqualTo(new Counters(4, 2, 2, 0, 3, 3));
            assertThat(actor.counters().total()).isEqualTo(14);
            assertThat(scope.counters()).isEqualTo(actor.counters());
        }
    }

    @Promise("4.1")
    @EveryStrategy
    void aFullMailboxDropsOrRefuses(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            for (var policy : new OverflowPolicy[]{OverflowPolicy.dropNewest(), OverflowPolicy.dropOldest(),
                OverflowPolicy.reject()}) {
                var actor = scope.anonymous().mailbox(MailboxPolicy.bounded(2, policy))
                        .newActor((Integer n) -> {
                        });
                try (var gate = Gate.in(actor)) {
                    for (int i = 0; i < 5; i++) {
                        actor.sendMessage(i);
                    }
                    gate.open();
                }
                actor.close();
                var lost = policy instanceof OverflowPolicy.Reject ? new Counters(3, 0, 0, 0, 3, 0)
                        : new Counters(3, 0, 0, 3, 0, 0);
                assertThat(actor.counters()).as("%s", policy).isEqualTo(lost);
            }
            assertThat(scope.counters()).isEqualTo(new Counters(9, 0, 0, 6, 3, 0));
        }
    }

    @Promise("4.1")
    @EveryStrategy
    void aMessageToANameIsHandledOrRefusedOrUndeliveredAtTheScopesEnd(Strategy strategy) throws Exception {
        var scope = Scopes.on(strategy);
        assertThat(scope.sendOrKeep(ActorName.of("comes"), "kept", 2)).isTrue();
        assertThat(scope.sendOrKeep(ActorName.of("comes"), "kept", 2)).isTrue();
        assertThat(scope.sendOrKeep(ActorName.of("comes"), "too many", 2)).isFalse();
        assertThat(scope.sendOrKeep(ActorName.of("never"), "kept", 1)).isTrue();
        assertThat(scope.sendOrKeep(ActorName.of("nobody"), "not kept", 0)).isFalse();
        scope.named("comes").newActor((String message) -> {
        }).close();
        scope.close();
        assertThat(scope.sendOrKeep(ActorName.of("comes"), "after the end", 1)).isFalse();
        assertThat(scope.counters()).isEqualTo(new Counters(2, 0, 0, 0, 3, 1));
    }

    @Promise("4.1")
    @EveryStrategy
    void messagesTakenByAReceivingActorAreCountedToo(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous().<Integer>newReceivingActor((context, first) -> {
                var second = context.receive();
                var third = context.receive();
                if (first + second + third < 0) {
                    throw new IllegalArgumentException("negative");
                }
            });
            try (var gate = Gate.in(actor)) {
                for (var number : new int[]{1, 2, 3, -4, -5, -6, 7}) {
                    actor.sendMessage(number);
                }
                actor.sendPoisonPill();
                gate.open();
            }
            actor.waitForExit();
            // The first of a failing handler and the one it took last have failed; 7 waited for more.
            assertThat(actor.counters()).isEqualTo(new Counters(6, 2, 0, 0, 0, 0));
        }
    }
}
