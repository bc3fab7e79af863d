package io.fibry.retention;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorState;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.Aside;
import io.fibry.testing.BugClass;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Garbage;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
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
        try (var scope = Scopes.on(strategy)) {
            assertLetGo(scope.anonymous());
        }
    }

    @EveryStrategy
    void aBoundedActorLetsGo(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            assertLetGo(scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.block())),
                    scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.dropOldest())));
        }
    }

    private interface Use {
        void use(Actor<Object, Object> actor) throws Exception;
    }

    /** A mailbox may keep what came last, so each kind comes last to an actor of its own. The collector runs once for all of them. */
    private void assertLetGo(ActorBuilder... builders) throws Exception {
        var actors = new ArrayList<Actor<Object, Object>>();
        for (var builder : builders) {
            for (var use : List.<Use>of(
                    actor -> actor.sendMessage(watched(new Object())),
                    actor -> actor.sendMessage(watched(new StringBuilder("this one fails"))),
                    actor -> watched(Waits.on(watched(actor.sendMessageReturn(watched(new Object()))))),
                    actor -> watched(Waits.on(watched(actor.ask(watched(new Object()), HOUR)))),
                    actor -> watched(actor.sendMessageReturn(watched(new Object()))).cancel(true),
                    actor -> actor.execAsync(watched(new Object())::hashCode),
                    actor -> watched(Waits.on(watched(actor.execFuture(watched(new Object())::toString)))))) {
                var actor = builder.interruptOnCancel().newActorWithReturn(RetentionTest::handle);
                actors.add(actor);
                for (int n = 0; n < MESSAGES; n++) {
                    use.use(actor);
                }
                Waits.until("idle", () -> actor.state() == ActorState.IDLE);
            }
        }
        Garbage.isEachOf(watched);
        assertThat(actors).allMatch(actor -> actor.state() == ActorState.IDLE);
        actors.forEach(Actor::close);
    }

    private static Object handle(Object message) {
        if (message instanceof StringBuilder text) {
            throw new IllegalArgumentException(text.toString());
        }
        return new Object();
    }

    @EveryStrategy
    void anActorThatWaitsInAReceiveLetsGo(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
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
                Waits.on(received);
                Waits.until("it waits again", () -> actor.state() == ActorState.IDLE);
                Garbage.isEachOf(watched);
                assertThat(actor.state()).isEqualTo(ActorState.IDLE);
            }
        }
    }

    @EveryStrategy
    void anActorInTheMiddleOfAMessageHasLetGoOfThoseBefore(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var handling = new CountDownLatch(1);
            var release = new CountDownLatch(1);
            var actor = scope.anonymous().newActor((Object message) -> {
                if (message.equals("stay")) {
                    handling.countDown();
                    Waits.on(release);
                }
            });
            var start = new CountDownLatch(1);
            Aside.run(() -> actor.execAsync(() -> Waits.on(start)));
            for (int n = 0; n < MESSAGES && strategy.isAsync(); n++) {
                actor.sendMessage(watched(new Object()));
            }
            start.countDown();
            var sender = Aside.run(() -> actor.sendMessage("stay"));
            Waits.on(handling);
            Garbage.isEachOf(watched);
            release.countDown();
            Waits.on(sender);
        }
    }

    @EveryStrategy
    void aDroppedMessageIsLetGo(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var release = new CountDownLatch(1);
            var handling = new CountDownLatch(1);
            var actor = scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.dropOldest()))
                    .newActor((Object message) -> {
                        handling.countDown();
                        Waits.on(release);
                    });
            Aside.run(() -> actor.sendMessage("handled"));
            Waits.on(handling);
            for (int n = 0; n < MESSAGES; n++) {
                actor.sendMessage(watched(new Object()));
            }
            actor.sendMessage("queued");
            Garbage.isEachOf(watched);
            release.countDown();
        }
    }
}
