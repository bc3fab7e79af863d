package io.fibry.robust;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorState;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Strategy;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** What an actor is done with is garbage while the actor lives. */
@BugClass(30)
class RetentionTest {
    private static final int MESSAGES = 20;
    private static final Duration HOUR = Duration.ofHours(1);

    private final List<Reference<?>> watched = new ArrayList<>();

    private <T> T watched(T object) {
        watched.add(new WeakReference<>(object));
        return object;
    }

    @EveryStrategy
    void anUnboundedActorLetsGo(Strategy strategy) throws Exception {
        try (var scope = Quiet.scope(strategy)) {
            assertLetsGo(scope.anonymous());
        }
    }

    @EveryStrategy
    void aBoundedActorLetsGo(Strategy strategy) throws Exception {
        try (var scope = Quiet.scope(strategy)) {
            assertLetsGo(scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.block())));
            assertLetsGo(scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.dropOldest())));
        }
    }

    private interface Use {
        void use(Actor<Object, Object> actor) throws Exception;
    }

    /** A mailbox may keep what came last, so each kind comes last once. */
    private void assertLetsGo(ActorBuilder builder) throws Exception {
        for (var use : List.<Use>of(
                actor -> actor.sendMessage(watched(new Object())),
                actor -> actor.sendMessage(watched(new StringBuilder("this one fails"))),
                actor -> watched(Soon.get(watched(actor.sendMessageReturn(watched(new Object()))))),
                actor -> watched(Soon.get(watched(actor.sendMessageReturn(watched(new Object()), HOUR)))),
                actor -> watched(actor.sendMessageReturn(watched(new Object()))).cancel(true),
                actor -> actor.execAsync(watched(new Object())::hashCode),
                actor -> watched(Soon.get(watched(actor.execFuture(watched(new Object())::toString)))))) {
            try (var actor = builder.interruptOnCancel().newActorWithReturn(RetentionTest::handle)) {
                for (int n = 0; n < MESSAGES; n++) {
                    use.use(actor);
                }
                Soon.until("idle", () -> actor.state() == ActorState.IDLE);
                Garbage.isEachOf(watched);
                assertThat(actor.state()).isEqualTo(ActorState.IDLE);
            }
        }
    }

    private static Object handle(Object message) {
        if (message instanceof StringBuilder text) {
            throw new IllegalArgumentException(text.toString());
        }
        return new Object();
    }

    @EveryStrategy
    void anActorThatWaitsInAReceiveLetsGo(Strategy strategy) throws Exception {
        try (var scope = Quiet.scope(strategy)) {
            for (var mailbox : List.of(MailboxPolicy.unbounded(),
                    MailboxPolicy.bounded(10, OverflowPolicy.block()))) {
                var received = new CountDownLatch(2 * MESSAGES);
                var actor = scope.anonymous().mailbox(mailbox).<Object>newReceivingActor(context -> {
                    while (true) {
                        context.receive(message -> true);
                        received.countDown();
                    }
                });
                for (int n = 0; n < MESSAGES; n++) {
                    actor.sendMessage(watched(new Object()));
                    watched(actor.sendMessageReturn(watched(new Object())));
                }
                Soon.reached(received);
                Soon.until("it waits again", () -> actor.state() == ActorState.IDLE);
                Garbage.isEachOf(watched);
                assertThat(actor.state()).isEqualTo(ActorState.IDLE);
            }
        }
    }

    @EveryStrategy
    void anActorInTheMiddleOfAMessageHasLetGoOfThoseBefore(Strategy strategy) throws Exception {
        try (var scope = Quiet.scope(strategy)) {
            var handling = new CountDownLatch(1);
            var release = new CountDownLatch(1);
            var actor = scope.anonymous().newActor((Object message) -> {
                if (message.equals("stay")) {
                    handling.countDown();
                    Soon.reached(release);
                }
            });
            var start = new CountDownLatch(1);
            Aside.run(() -> actor.execAsync(() -> Soon.reached(start)));
            for (int n = 0; n < MESSAGES && strategy.isAsync(); n++) {
                actor.sendMessage(watched(new Object()));
            }
            start.countDown();
            var sender = Aside.run(() -> actor.sendMessage("stay"));
            Soon.reached(handling);
            Garbage.isEachOf(watched);
            release.countDown();
            Soon.get(sender);
        }
    }

    @EveryStrategy
    void aDroppedMessageIsLetGo(Strategy strategy) throws Exception {
        try (var scope = Quiet.scope(strategy)) {
            var release = new CountDownLatch(1);
            var handling = new CountDownLatch(1);
            var actor = scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.dropOldest()))
                    .newActor((Object message) -> {
                        handling.countDown();
                        Soon.reached(release);
                    });
            Aside.run(() -> actor.sendMessage("handled"));
            Soon.reached(handling);
            for (int n = 0; n < MESSAGES; n++) {
                actor.sendMessage(watched(new Object()));
            }
            actor.sendMessage("queued");
            Garbage.isEachOf(watched);
            release.countDown();
        }
    }
}
