package io.fibry.deadlines;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorState;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Garbage;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.Cancellable;
import io.fibry.time.ManualTime;
import io.fibry.time.TimeSource;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

class TakeBackTest {
    private static final int MESSAGES = 100;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final List<Reference<?>> watched = new ArrayList<>();

    private <T> T watched(T object) {
        watched.add(new WeakReference<>(object));
        return object;
    }

    /** Asks, and gives it up. */
    private interface Use {
        void use(Actor<Object, Object> actor, ManualTime time);
    }

    private CompletableFuture<Object> ask(Actor<Object, Object> actor) {
        return watched(actor.sendMessageReturn(watched(new Object())));
    }

    private final List<Use> uses = List.of(
            (actor, time) -> ask(actor).cancel(true),
            (actor, time) -> ask(actor).complete("by hand"),
            (actor, time) -> ask(actor).completeExceptionally(new IllegalStateException("by hand")),
            (actor, time) -> watched(actor.execFuture(watched(new Object())::toString)).cancel(false),
            (actor, time) -> watched(actor.ask(watched(new Object()), SECOND)).cancel(false),
            (actor, time) -> {
                watched(actor.ask(watched(new Object()), SECOND));
                time.advance(SECOND);
            });

    @Promise("5.4")
    @EveryStrategy
    void whatNobodyWaitsForIsGarbageThoughTheActorIsBusy(Strategy strategy) throws Exception {
        for (var mailbox : List.of(MailboxPolicy.unbounded(),
                MailboxPolicy.bounded(10 + MESSAGES * uses.size(), OverflowPolicy.reject()))) {
            var time = new ManualTime(Instant.EPOCH, Duration.ZERO); // waits for nobody: the actor is busy
            try (var scope = Scopes.on(strategy, event -> {
            }, time)) {
                var actor =
                        scope.anonymous().mailbox(mailbox).newActorWithReturn((Object message) -> message);
                try (var gate = Gate.in(actor)) {
                    actor.sendMessage("before them");
                    for (var use : uses) {
                        for (int n = 0; n < MESSAGES; n++) {
                            use.use(actor, time);
                        }
                    }
                    Garbage.isEachOf(watched);
                    assertThat(actor.state()).isEqualTo(ActorState.BUSY);
                    assertThat(actor.counters().total()).as("dealt with so far").isZero();
                    gate.open();
                }
                assertThat(Waits.on(actor.sendMessageReturn("after them"))).isEqualTo("after them");
                assertThat(actor.counters().expired()).isEqualTo((long) MESSAGES * uses.size());
                assertThat(time.pending()).isZero();
            }
        }
    }

    @Promise("5.4")
    @EveryStrategy
    void oneThatExpiresBeforeItIsQueuedIsGarbageToo(Strategy strategy) throws Exception {
        var time = new ManualTime();
        var atOnce = new TimeSource() {
            @Override
            public long nanoTime() {
                return time.nanoTime();
            }

            @Override
            public Cancellable schedule(long delayNanos, Runnable task) {
                task.run();
                return () -> false;
            }
        };
        try (var scope = Scopes.on(strategy, event -> {
        }, atOnce)) {
            var actor = scope.anonymous().newActorWithReturn((Object message) -> message);
            try (var gate = Gate.in(actor)) {
                for (int n = 0; n < MESSAGES; n++) {
                    assertThat(watched(actor.ask(watched(new Object()), SECOND))).isDone();
                }
                Garbage.isEachOf(watched);
                gate.open();
            }
            assertThat(Waits.on(actor.execFuture(() -> "the next one"))).isEqualTo("the next one");
            assertThat(actor.counters().expired()).isEqualTo(MESSAGES);
        }
    }

    @Promise({"5.4", "4.4"})
    @EveryStrategy
    void aPlaceIsGivenBackWhenNothingWantedIsBeforeIt(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous().mailbox(MailboxPolicy.bounded(3, OverflowPolicy.reject()))
                    .newActorWithReturn((String message) -> message);
            try (var gate = Gate.in(actor)) {
                var first = actor.sendMessageReturn("first");
                var second = actor.sendMessageReturn("second");
                var third = actor.sendMessageReturn("third");
                second.cancel(false);
                assertThat(actor.mailboxSize()).isEqualTo(3);
                assertThat(Waits.failure(actor.sendMessageReturn("no place")))
                        .isInstanceOf(MailboxFullException.class);
                first.cancel(false);
                assertThat(actor.mailboxSize()).isEqualTo(1);
                assertThat(actor.counters().expired()).isEqualTo(2);
                var fourth = actor.sendMessageReturn("fourth");
                assertThat(actor.sendMessage("fifth")).isTrue();
                assertThat(actor.sendMessage("no place")).isFalse();
                gate.open();
                assertThat(Waits.on(third)).isEqualTo("third");
                assertThat(Waits.on(fourth)).isEqualTo("fourth");
            }
        }
    }

    @Promise("5.4")
    @EveryStrategy
    void oneWhoseTurnComesIsNoObstacleAnyMore(Strategy strategy) throws Exception {
        var handling = new CountDownLatch(1);
        var end = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous().mailbox(MailboxPolicy.bounded(2, OverflowPolicy.reject()))
                    .newActorWithReturn((String message) -> {
                        handling.countDown();
                        Waits.on(end);
                        return message;
                    });
            try (var gate = Gate.in(actor)) {
                var first = actor.sendMessageReturn("first");
                actor.sendMessageReturn("second").cancel(false);
                gate.open();
                Waits.on(handling);
                assertThat(actor.sendMessage("in the place of the second")).isTrue();
                assertThat(actor.sendMessage("in the place of the first")).isTrue();
                assertThat(actor.sendMessage("no place")).isFalse();
                end.countDown();
                assertThat(Waits.on(first)).isEqualTo("first");
            }
        }
    }

    @Promise({"5.4", "4.4"})
    @EveryStrategy
    void aSenderThatWaitsForRoomGetsThePlace(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, event -> {
        }, time)) {
            var actor = scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.block()))
                    .newActorWithReturn((String message) -> message);
            try (var gate = Gate.in(actor)) {
                actor.ask("late", SECOND);
                var sender = Thread.startVirtualThread(() -> actor.sendMessage("blocked"));
                Waits.parked(sender);
                time.advance(SECOND);
                Waits.on(sender);
                assertThat(actor.mailboxSize()).isEqualTo(1);
                assertThat(actor.counters().handled()).isZero();
                gate.open();
            }
        }
    }
}
