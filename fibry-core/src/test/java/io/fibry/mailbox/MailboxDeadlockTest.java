package io.fibry.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.HighWater;
import io.fibry.event.Undelivered;
import io.fibry.testing.BugClass;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

@BugClass(6)
class MailboxDeadlockTest {
    private static final MailboxPolicy ONE = MailboxPolicy.bounded(1, OverflowPolicy.block());

    private final AtomicLong offered = new AtomicLong();

    @EveryStrategy
    void twoThatFloodEachOtherGoOn(Strategy strategy) {
        try (var scope = Scopes.on(strategy)) {
            var first = new AtomicReference<Actor<Integer, Void>>();
            var second = new AtomicReference<Actor<Integer, Void>>();
            first.set(sendingTwiceTo(second, scope.anonymous().mailbox(ONE)));
            second.set(sendingTwiceTo(first, scope.anonymous().mailbox(ONE)));

            send(first.get(), 12);

            Waits.until("all have met a fate", () -> isQuiet(scope));
            assertThat(offered.get()).isGreaterThan(3);
        }
    }

    private boolean isQuiet(ActorScope scope) {
        var before = offered.get();
        return scope.counters().total() == before && offered.get() == before;
    }

    private Actor<Integer, Void> sendingTwiceTo(AtomicReference<Actor<Integer, Void>> other,
            ActorBuilder builder) {
        return builder.newActor((Integer left) -> {
            if (left > 0) {
                send(other.get(), left - 1);
                send(other.get(), left - 1);
            }
        });
    }

    private void send(Actor<Integer, Void> actor, int left) {
        offered.incrementAndGet();
        actor.sendMessage(left);
    }

    @EveryStrategy
    void anActorThatSendsToItselfIsRefusedWhenItIsFull(Strategy strategy) throws Exception {
        var events = new Recorder();
        try (var scope = Scopes.configure().strategy(strategy.create()).listener(events).open()) {
            var refused = new CompletableFuture<Boolean>();
            var actor = scope.anonymous().mailbox(ONE).<String>newActor((context, message) -> {
                if (message.equals("go")) {
                    context.self().sendMessage("fits");
                    refused.complete(!context.self().sendMessage("does not fit"));
                }
            });
            actor.sendMessage("go");

            assertThat(Waits.on(refused)).isTrue();
            assertThat(events.only(Undelivered.class).cause()).isEqualTo(Undelivered.Cause.BLOCK_CYCLE);
        }
    }

    @EveryStrategy
    void anActorThatIsFilledWhileItsStateIsMadeGoesOn(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var self = new AtomicReference<Actor<String, String>>();
            self.set(scope.anonymous().mailbox(ONE).state(() -> {
                self.get().sendMessage("fits");
                self.get().sendMessage("does not fit");
                return "state";
            }).newActorWithReturn((String state, String message) -> state));

            assertThat(Waits.on(self.get().sendMessageReturn("first"))).isEqualTo("state");
        }
    }

    @EveryStrategy
    void aHighWaterListenerThatSendsToTheFullActorHoldsNobodyUp(Strategy strategy) throws Exception {
        var actor = new AtomicReference<Actor<String, String>>();
        try (var scope = Scopes.configure().strategy(strategy.create()).listener(event -> {
            if (event instanceof HighWater) {
                actor.get().sendMessage("from the listener");
            }
        }).open()) {
            actor.set(scope.anonymous().mailbox(ONE).newActorWithReturn((String message) -> message));
            var done = new CompletableFuture<String>();
            Thread.ofVirtual().start(() -> done.complete(actor.get().apply("first")));

            assertThat(Waits.on(done)).isEqualTo("first");
        }
    }
}
