package io.fibry.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Undelivered;
import io.fibry.event.Undelivered.Cause;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class UndeliveredTest {
    private final Recorder recorder = new Recorder();

    private static Actor<String, Void> actor(ActorScope scope, MailboxPolicy mailbox) {
        return scope.named("tom").mailbox(mailbox).newActor((String message) -> {
        });
    }

    private void assertTold(Undelivered... events) {
        assertThat(recorder.of(Undelivered.class)).containsExactly(events);
    }

    @Promise("4.3")
    @EveryStrategy
    void whatAStoppedActorDidNotHandleIsTold(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = actor(scope, MailboxPolicy.unbounded());
            Runnable code = () -> {
            };
            try (var gate = Gate.in(actor)) {
                actor.sendMessage("queued");
                actor.sendMessageReturn("asked");
                actor.execute(code);
                actor.askExit();
                gate.open();
            }
            actor.waitForExit();
            actor.sendMessage("late");
            assertTold(new Undelivered("tom", "queued", Cause.STOPPED_BEFORE_TURN),
                    new Undelivered("tom", "asked", Cause.STOPPED_BEFORE_TURN),
                    new Undelivered("tom", code, Cause.STOPPED_BEFORE_TURN),
                    new Undelivered("tom", "late", Cause.STOPPED));
        }
    }

    @Promise("4.3")
    @EveryStrategy
    void whatAFullMailboxDidNotTakeIsTold(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            for (var policy : List.of(OverflowPolicy.reject(), OverflowPolicy.dropNewest(),
                    OverflowPolicy.dropOldest())) {
                var actor = actor(scope, MailboxPolicy.bounded(1, policy));
                try (var gate = Gate.in(actor)) {
                    actor.sendMessage("first");
                    actor.sendMessage("second");
                    gate.open();
                }
                actor.close();
            }
            assertTold(new Undelivered("tom", "second", Cause.FULL),
                    new Undelivered("tom", "second", Cause.DROPPED_NEWEST),
                    new Undelivered("tom", "first", Cause.DROPPED_OLDEST));
        }
    }

    @Promise("4.3")
    @EveryStrategy
    void whatFoundNoRoomInTimeIsTold(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = actor(scope, MailboxPolicy.bounded(1, OverflowPolicy.block(Duration.ZERO)));
            try (var gate = Gate.in(actor)) {
                actor.sendMessage("first");
                actor.sendMessage("second");
                Thread.currentThread().interrupt();
                actor.sendMessage("third");
                assertThat(Thread.interrupted()).isTrue();
                gate.open();
            }
            actor.close();
            assertThat(recorder.of(Undelivered.class)).first()
                    .isEqualTo(new Undelivered("tom", "second", Cause.BLOCK_TIMEOUT));
            assertThat(recorder.of(Undelivered.class)).hasSize(2).last().isIn(
                    new Undelivered("tom", "third", Cause.SENDER_INTERRUPTED),
                    new Undelivered("tom", "third", Cause.BLOCK_TIMEOUT));
        }
    }

    @Promise("4.3")
    @EveryStrategy
    void aMessageThatAnActorCannotWaitToSendItselfIsTold(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.named("tom").mailbox(MailboxPolicy.bounded(1, OverflowPolicy.block()))
                    .<String>newActor((context, message) -> {
                        if (message.equals("go")) {
                            context.self().sendMessage("first");
                            context.self().sendMessage("second");
                        }
                    });
            actor.sendMessage("go");
            recorder.await(Undelivered.class);
            actor.close();
            assertTold(new Undelivered("tom", "second", Cause.BLOCK_CYCLE));
        }
    }

    @Promise({"4.3", "6.3"})
    @Test
    void aMessageForWhichTheExecutorRefusedToRunIsTold() throws Exception {
        CreationStrategy refusing = CreationStrategy.of(turn -> {
            throw new RejectedExecutionException("shut down");
        });
        try (var scope = ActorSystem.configure("test").listener(recorder).strategy(refusing).open()) {
            var actor = actor(scope, MailboxPolicy.unbounded());
            actor.sendMessage("lost");
            recorder.await(Undelivered.class);
            assertTold(new Undelivered("tom", "lost", Cause.STRATEGY_REFUSED));
        }
    }

    @Promise("4.3")
    @Test
    void aMessageForANameThatNobodyHasIsTold() {
        try (var scope = ActorSystem.configure("test").listener(recorder).open()) {
            scope.sendOrKeep(ActorName.of("nobody"), "refused", 0);
            scope.sendOrKeep(ActorName.of("nobody"), "kept", 1);
            scope.sendOrKeep(ActorName.of("nobody"), "too many", 1);
        }
        assertTold(new Undelivered("nobody", "refused", Cause.NO_SUCH_ACTOR),
                new Undelivered("nobody", "too many", Cause.NO_SUCH_ACTOR),
                new Undelivered("nobody", "kept", Cause.NO_SUCH_ACTOR));
    }

    @Promise({"4.3", "5.4"})
    @EveryStrategy
    void anAskThatItsOwnerGaveUpIsNotTold(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, recorder, time)) {
            var actor = actor(scope, MailboxPolicy.bounded(2, OverflowPolicy.dropOldest()));
            try (var gate = Gate.in(actor)) {
                actor.sendMessageReturn("cancelled and dropped").cancel(true);
                actor.ask("expires", Duration.ofSeconds(1));
                actor.sendMessageReturn("cancelled").cancel(true);
                time.advance(Duration.ofSeconds(1));
                actor.askExit();
                gate.open();
            }
            actor.waitForExit();
            assertTold();
            assertThat(actor.counters().expired()).isEqualTo(3);
        }
    }
}
