package io.fibry.keyed;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
import io.fibry.FailurePolicy;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Failed;
import io.fibry.event.Started;
import io.fibry.event.Undelivered;
import io.fibry.function.ContextReplyHandler;
import io.fibry.message.MessageFate;
import io.fibry.testing.Aside;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class KeyedTest {
    private static final Duration IDLE = Duration.ofMinutes(1);

    private record Booking(String account, int amount) {
    }

    private final ManualTime time = new ManualTime();
    private final Recorder events = new Recorder();
    private final List<String> steps = new CopyOnWriteArrayList<>();

    private static KeyedActors<String, Booking, Integer> sums(ActorScope scope,
            UnaryOperator<KeyedBuilder<String, Booking>> change) {
        return change.apply(scope.anonymous().<String, Booking>keyed(Booking::account).idle(IDLE))
                .newActorsWithReturnFrom(account -> {
                    var sum = new AtomicInteger();
                    return (context, booking) -> sum.addAndGet(booking.amount());
                });
    }

    @Promise("21.1")
    @EveryStrategy
    void eachKeyHasAnActorOfItsOwnWhichStopsWhenItIsIdle(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events, time)) {
            var accounts = sums(scope, keyed -> keyed);
            assertThat(accounts.find("a")).isEmpty();
            accounts.sendMessage(new Booking("a", 1));
            assertThat(Waits.on(accounts.sendMessageReturn(new Booking("a", 2)))).isEqualTo(3);
            assertThat(Waits.on(accounts.ask(new Booking("b", 5), IDLE))).isEqualTo(5);
            assertThat(accounts.live()).isEqualTo(2);
            soon().until(() -> {
                time.advance(IDLE);
                return accounts.live() == 0 && accounts.find("a").isEmpty();
            });
            assertThat(Waits.on(accounts.sendMessageReturn(new Booking("a", 2)))).isEqualTo(2);
            assertThat(accounts.live()).isEqualTo(1);
            soon().until(() -> accounts.counters().handled() == 4);
            assertThat(events.of(Undelivered.class)).isEmpty();
        }
        assertThat(time.pending()).isZero();
    }

    /** Ends all its life long: each message finds another actor, or the end of one. */
    @Promise({"21.1", "21.3"})
    @EveryStrategy
    void noMessageIsLostAndNoneOvertakenWhileActorsComeAndGo(Strategy strategy) throws Exception {
        var keys = 3;
        var each = 300;
        var inside = new ConcurrentHashMap<Integer, AtomicInteger>();
        var latest = new ConcurrentHashMap<String, Integer>();
        var made = new AtomicInteger();
        try (var scope = Scopes.on(strategy, events)) {
            for (var mailbox : List.of(MailboxPolicy.unbounded(),
                    MailboxPolicy.bounded(2, OverflowPolicy.block()))) {
                var actors = scope.anonymous().mailbox(mailbox)
                        .keyed((int[] message) -> message[1]).idle(Duration.ofNanos(100_000)).atMost(2)
                        .makeRoom()
                        .newActorsWithReturnFrom(key -> {
                            made.incrementAndGet();
                            var mine = inside.computeIfAbsent(key, k -> new AtomicInteger());
                            assertThat(mine.getAndIncrement()).as("actors of a key").isZero();
                            return new Closing(message -> {
                                var before = latest.put(message[0] + "/" + key, message[2]);
                                assertThat(before == null || before < message[2]).as("order").isTrue();
                                return message[2];
                            }, mine::decrementAndGet);
                        });
                var refused = new AtomicInteger();
                Senders.run(3, sender -> {
                    for (int n = 0; n < each; n++) {
                        var message = new int[]{sender, n % keys, n};
                        if (n % 4 == 0) {
                            Thread.yield();
                        }
                        if (n % 3 != 0) {
                            refused.addAndGet(actors.sendMessage(message) ? 0 : 1);
                        } else {
                            try {
                                assertThat(Waits.on(actors.sendMessageReturn(message))).isEqualTo(n);
                            } catch (ExecutionException full) {
                                assertThat(full).hasCauseInstanceOf(MailboxFullException.class);
                                refused.incrementAndGet();
                            }
                        }
                    }
                });
                soon().until(() -> actors.live() == 0);
                soon().until(() -> actors.counters().total() == 3 * each);
                assertThat(actors.counters().handled()).isEqualTo(3 * each - refused.get());
                assertThat(actors.counters().refused()).isEqualTo(refused.get());
                latest.clear();
                actors.close();
            }
        }
        assertThat(made.get()).isGreaterThan(keys);
        assertThat(events.of(Failed.class)).isEmpty();
    }

    private record Closing(Function<int[], Integer> handler, Runnable whenClosed)
            implements
                ContextReplyHandler<int[], Integer>,
                AutoCloseable {
        @Override
        public Integer handle(ActorContext<int[], Integer> context, int[] message) {
            return handler.apply(message);
        }

        @Override
        public void close() {
            whenClosed.run();
        }
    }

    @Promise("21.1")
    @EveryStrategy
    void theNextActorOfAKeyBeginsWhenTheOneBeforeHasEnded(Strategy strategy) throws Exception {
        var inHook = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy, events, time)) {
            var actors = scope.anonymous().onExit(() -> {
                inHook.countDown();
                goOn.await();
                steps.add("old ended");
            }).<String, String>keyed(word -> word.substring(0, 1)).idle(IDLE)
                    .newActorsFrom(key -> (context, word) -> steps.add(word));
            actors.sendMessage("a1");
            soon().until(() -> actors.find("a").orElseThrow().state() == ActorState.IDLE);
            time.advance(IDLE);
            time.advance(IDLE);
            Waits.on(inHook);
            assertThat(actors.sendMessage("a2")).isTrue();
            assertThat(actors.sendMessage("a3")).isTrue();
            assertThat(actors.sendMessage("b1")).isTrue();
            soon().until(() -> steps.contains("b1"));
            goOn.countDown();
            soon().until(() -> steps.size() == 5);
            assertThat(steps.indexOf("a2")).isGreaterThan(steps.indexOf("old ended"));
            assertThat(steps.indexOf("a3")).isGreaterThan(steps.indexOf("a2"));
        }
    }

    @Promise("21.1")
    @EveryStrategy
    void reportsShowToWhichKeyedActorsAnActorBelongs(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events, time)) {
            for (var builder : List.of(scope.named("accounts"), scope.anonymous())) {
                var actors = builder.<String, String>keyed(text -> text).idle(IDLE)
                        .newActorsFrom(key -> (context, text) -> {
                            throw new IllegalStateException(context.self().name());
                        });
                assertThat(Waits.on(actors.sendTracked("a"))).isInstanceOf(MessageFate.Failed.class);
            }
            assertThat(events.await(Failed.class, 2))
                    .allMatch(failed -> failed.actor().equals(failed.cause().getMessage()))
                    .satisfiesExactly(named -> assertThat(named.actor()).startsWith("accounts#"),
                            anonymous -> assertThat(anonymous.actor()).startsWith("keyed#"));
        }
    }

    @Promise("21.1")
    @EveryStrategy
    void anActorThatFailedOrStoppedItselfIsFollowedByAnother(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events, time)) {
            var made = new AtomicInteger();
            var actors = scope.anonymous().onFailure(FailurePolicy.stop()).<Integer, Integer>keyed(n -> 1)
                    .idle(IDLE)
                    .newActorsFrom(key -> {
                        made.incrementAndGet();
                        return (context, n) -> {
                            if (n == 0) {
                                throw new IllegalStateException("on purpose");
                            }
                            if (n == 1) {
                                context.askExit();
                            }
                        };
                    });
            for (int n : new int[]{0, 1, 2, 2}) {
                actors.sendMessage(n);
                soon().until(() -> actors.find(1).map(actor -> actor.state() == ActorState.IDLE)
                        .orElse(true));
            }
            assertThat(made).hasValue(3);
            assertThat(actors.live()).isEqualTo(1);
        }
    }

    @Promise("21.3")
    @EveryStrategy
    void thereAreNoMoreActorsThanThereMayBe(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events, time)) {
            var refusing = sums(scope, keyed -> keyed.atMost(2));
            for (var key : List.of("a", "b")) {
                assertThat(Waits.on(refusing.sendMessageReturn(new Booking(key, 1)))).isEqualTo(1);
            }
            assertThat(refusing.sendMessage(new Booking("c", 1))).isFalse();
            assertThat(Waits.failure(refusing.sendMessageReturn(new Booking("c", 1))))
                    .isInstanceOf(MailboxFullException.class).hasMessageContaining("2 keys");
            assertThat(events.of(Undelivered.class)).hasSize(2)
                    .allMatch(lost -> lost.cause() == Undelivered.Cause.FULL);
            assertThat(refusing.counters().refused()).isEqualTo(2);

            var stopping = sums(scope, keyed -> keyed.atMost(2).makeRoom());
            for (var key : List.of("a", "b", "c", "d", "a")) {
                var answer = stopping.sendMessageReturn(new Booking(key, 1));
                assertThat(Waits.on(answer)).isEqualTo(1);
                assertThat(stopping.live()).isLessThanOrEqualTo(2);
                soon().until(() -> stopping.find(key).orElseThrow().state() == ActorState.IDLE);
            }
            assertThat(events.of(Undelivered.class)).hasSize(2);
        }
    }

    /** Equals all others; its hash code throws from some time on. */
    private static final class ChangedKey {
        private volatile boolean isChanged;

        @Override
        public boolean equals(Object other) {
            return other instanceof ChangedKey;
        }

        @Override
        public int hashCode() {
            if (isChanged) {
                throw new IllegalStateException("on purpose");
            }
            return 1;
        }
    }

    @Promise("21.3")
    @EveryStrategy
    void aKeyThatFailsDoesNotHoldUpTheNextActorOfItsKey(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events, time)) {
            var closing = new CountDownLatch(1);
            var key = new ChangedKey();
            var actors = scope.anonymous().onFailure(FailurePolicy.stop())
                    .keyed((int[] message) -> message[0] == 1 ? key : new ChangedKey())
                    .idle(IDLE).newActorsWithReturnFrom(made -> new Closing(message -> {
                        if (message[0] == 1) {
                            throw new IllegalStateException("on purpose");
                        }
                        return message[0];
                    }, () -> {
                        closing.countDown();
                        Waits.until("the next actor waits", () -> key.isChanged);
                    }));
            Aside.run(() -> actors.sendMessage(new int[]{1}));
            Waits.on(closing);
            var next = Aside.run(() -> actors.sendMessageReturn(new int[]{2}).get());
            Waits.until("the message of the next actor",
                    () -> actors.find(new ChangedKey()).orElseThrow().mailboxSize() > 0);
            key.isChanged = true;
            assertThat(Waits.on(next)).isEqualTo(2);
        }
    }

    /** A key that tells when it is compared with another one. */
    private record Compared(AtomicInteger comparisons) {
        @Override
        public boolean equals(Object other) {
            comparisons.incrementAndGet();
            return other instanceof Compared;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    /** The actor has its place and is not listed yet when another thread sends to its key. */
    @Promise("21.3")
    @EveryStrategy
    void aMessageIsNotRefusedWhileTheActorOfItsKeyIsMade(Strategy strategy) throws Exception {
        var made = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy, event -> {
            if (event instanceof Started) {
                made.countDown();
                Waits.until("both senders have begun", () -> goOn.getCount() == 0);
            }
        })) {
            var comparisons = new AtomicInteger();
            var actors = scope.anonymous().keyed((Integer n) -> new Compared(comparisons)).idle(IDLE)
                    .atMost(1).newActorsWithReturnFrom(key -> (context, n) -> n);
            var first = Aside.run(() -> actors.sendMessageReturn(1).get());
            Waits.on(made);
            var second = Aside.run(() -> actors.sendMessageReturn(2).get());
            Waits.until("the second sender waits, or is refused",
                    () -> comparisons.get() > 0 || actors.counters().refused() > 0);
            goOn.countDown();
            assertThat(Waits.on(first)).isEqualTo(1);
            assertThat(Waits.on(second)).isEqualTo(2);
            assertThat(actors.counters().refused()).isZero();
        }
    }

    @Promise("21.3")
    @EveryStrategy
    void theyEndWithTheirScopeAndTakeNothingAfterThat(Strategy strategy) throws Exception {
        var scope = Scopes.on(strategy, events, time);
        var closed = new AtomicInteger();
        var actors = scope.named("accounts").keyed((int[] m) -> m[1]).idle(IDLE)
                .newActorsWithReturnFrom(key -> new Closing(m -> m[0], closed::incrementAndGet));
        for (int key = 0; key < 10; key++) {
            actors.sendMessage(new int[]{0, key});
        }
        scope.close();
        assertThat(actors.counters().handled()).isEqualTo(10);
        assertThat(closed).hasValue(10);
        assertThat(actors.live()).isZero();
        assertThat(time.pending()).isZero();
        assertThat(actors.sendMessage(new int[]{0, 1})).isFalse();
        assertThat(Waits.failure(actors.sendMessageReturn(new int[]{0, 1})))
                .isInstanceOf(ActorStoppedException.class).hasMessageContaining("'accounts'");
        assertThat(events.of(Undelivered.class)).hasSize(2)
                .allMatch(lost -> lost.cause() == Undelivered.Cause.STOPPED);
    }

    @Test
    void aHandlerThatCannotBeMadeFailsItsMessageAndTheNextOneTriesAgain() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS, events, time)) {
            var tries = new AtomicInteger();
            var actors = scope.anonymous().<Integer, Integer>keyed(n -> 1).idle(IDLE)
                    .<Integer>newActorsWithReturnFrom(key -> {
                        if (tries.getAndIncrement() == 0) {
                            throw new IllegalStateException("on purpose");
                        }
                        return (context, n) -> n;
                    });
            assertThat(Waits.failure(actors.sendMessageReturn(7))).hasMessage("on purpose");
            assertThat(Waits.on(actors.sendMessageReturn(7))).isEqualTo(7);
        }
    }

    @Test
    void theShortFormCompilesWithoutTypeArguments() throws Exception {
        var sums = new ConcurrentHashMap<String, Integer>(Map.of());
        try (var accounts = ActorSystem.anonymous().keyed(Booking::account)
                .newActorsFrom(account -> (context, booking) -> sums
                        .merge(account, booking.amount(), Integer::sum))) {
            accounts.sendMessage(new Booking("a", 3));
            accounts.sendMessage(new Booking("a", 4));
        }
        assertThat(sums).isEqualTo(Map.of("a", 7));
    }
}
