package io.fibry.mailbox;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
import io.fibry.Counters;
import io.fibry.CreationStrategy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.SharedMailbox;
import io.fibry.SharedMailbox.HandOver;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.event.Undelivered;
import io.fibry.message.MessageFate;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SharedMailboxTest {
    private final Recorder events = new Recorder();

    private static SharedMailbox<Integer, Integer> mailbox(ActorScope scope, int capacity) {
        return Stereotypes.with(scope.named("shared").mailbox(
                MailboxPolicy.bounded(capacity, OverflowPolicy.dropOldest()))).sharedMailbox();
    }

    @Promise("39.11")
    @EveryStrategy
    void aMessageBelongsToTheActorThatItIsHandedOverTo(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var shared = mailbox(scope, 3);
            var threads = new CopyOnWriteArrayList<Thread>();
            var actor = scope.anonymous().newActorWithReturn((Integer number) -> {
                threads.add(Thread.currentThread());
                return number * 2;
            });
            var dropped = shared.sendTracked(0);
            var first = shared.sendMessageReturn(1);
            var cancelled = shared.sendMessageReturn(2);
            var last = shared.sendTracked(3);
            assertThat(Waits.on(dropped)).isInstanceOf(MessageFate.Dropped.class);
            assertThat(shared.waiting()).isEqualTo(3);
            assertThat(shared.handOver(message -> Optional.empty())).isEqualTo(HandOver.LEFT);
            assertThatThrownBy(() -> shared.handOver(message -> {
                throw new IllegalStateException("on purpose");
            })).hasMessage("on purpose");
            var ended = scope.anonymous().newActorWithReturn((Integer number) -> number);
            ended.close();
            assertThat(shared.handOver(message -> Optional.of(ended))).isEqualTo(HandOver.ENDED);
            assertThat(shared.waiting()).isEqualTo(3);
            cancelled.cancel(false);
            assertThat(shared.handOver(message -> Optional.of(actor))).isEqualTo(HandOver.HANDED);
            assertThat(Waits.on(first)).isEqualTo(2);
            assertThat(shared.handOver(message -> Optional.of(actor))).isEqualTo(HandOver.HANDED);
            assertThat(Waits.on(last)).isEqualTo(new MessageFate.Handled());
            assertThat(shared.handOver(message -> Optional.of(actor))).isEqualTo(HandOver.EMPTY);
            assertThat(threads).doesNotContain(Thread.currentThread());
            assertThat(shared.counters()).isEqualTo(new Counters(0, 0, 1, 1, 0, 0));
            soon().until(() -> actor.counters().equals(new Counters(2, 0, 0, 0, 0, 0)));
            soon().until(() -> scope.counters().equals(new Counters(2, 0, 1, 1, 0, 0)));
            var left = shared.sendMessageReturn(4);
            shared.close();
            assertThat(Waits.failure(left)).isInstanceOf(ActorStoppedException.class);
            soon().until(shared::isClosing);
            assertThat(shared.sendMessage(5)).isFalse();
            assertThat(shared.handOver(message -> Optional.of(actor))).isEqualTo(HandOver.EMPTY);
        }
    }

    @Promise("39.11")
    @EveryStrategy
    void codeRunsInsideAnActorWhenItHasNothingLeftToDo(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var shared = mailbox(scope, 100);
            var handled = new CopyOnWriteArrayList<Integer>();
            var idle = new AtomicInteger();
            Actor<Integer, Integer> actor = scope.anonymous().newActorWithReturn((Integer number) -> {
                handled.add(number);
                return number;
            });
            shared.takenBy(actor, () -> false, () -> {
                if (shared.handOver(message -> Optional.of(actor)) != HandOver.HANDED
                        && idle.incrementAndGet() == 1) {
                    throw new IllegalStateException("on purpose");
                }
                return false;
            });
            for (int n = 1; n <= 50; n++) {
                shared.sendMessage(n);
            }
            actor.sendMessage(0);
            soon().until(() -> handled.size() == 51);
            assertThat(handled).isSorted();
            soon().until(() -> idle.get() == 1);
            assertThat(events.await(Failed.class).cause()).hasMessage("on purpose");
            assertThat(events.only(Failed.class).part()).isEqualTo(Failed.Part.IDLE);
            shared.sendMessage(51);
            assertThat(Waits.on(actor.sendMessageReturn(52))).isEqualTo(52);
            soon().until(() -> idle.get() == 2);
            assertThat(handled).endsWith(52, 51);
        }
    }

    @Promise("39.11")
    @EveryStrategy
    void anActorTakesMessagesItselfAfterItsOwnAndWhenItMay(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var shared = mailbox(scope, 100);
            var handled = new CopyOnWriteArrayList<Integer>();
            var mayTake = new AtomicBoolean(true);
            var idle = new AtomicInteger();
            Actor<Integer, Integer> actor = scope.anonymous().newActorWithReturn((context, number) -> {
                handled.add(number);
                if (number == 30) {
                    context.self().sendMessage(1000);
                }
                if (number == 50) {
                    mayTake.set(false);
                }
                return number;
            });
            shared.takenBy(actor, mayTake::get, () -> {
                idle.incrementAndGet();
                return false;
            });
            for (int n = 1; n <= 49; n++) {
                shared.sendMessage(n);
            }
            var last = shared.sendMessageReturn(50);
            var cancelled = shared.sendMessageReturn(51);
            shared.sendMessage(52);
            actor.sendMessage(0);
            assertThat(Waits.on(last)).isEqualTo(50);
            soon().until(() -> idle.get() == 1);
            assertThat(handled).hasSize(52).startsWith(0, 1, 2).endsWith(49, 50);
            assertThat(handled.indexOf(1000)).as("its own messages come first")
                    .isEqualTo(handled.indexOf(30) + 1);
            assertThat(shared.waiting()).isEqualTo(2);
            cancelled.cancel(true);
            mayTake.set(true);
            actor.sendMessage(53);
            soon().until(() -> idle.get() == 2);
            assertThat(handled).endsWith(53, 52);
            assertThat(actor.counters().handled()).isEqualTo(54);
            assertThat(shared.counters().expired()).as("it was over before it was taken").isEqualTo(1);
        }
    }

    @Promise("39.11")
    @Test
    void anActorWhoseTurnIsRefusedTakesNoMessageThatItCannotHandle() throws Exception {
        var refuses = new AtomicBoolean();
        var idle = new AtomicInteger();
        var all = 2_000; // more than an actor handles before its strategy is asked again
        try (var thread = Executors.newSingleThreadExecutor();
                var scope =
                        ActorSystem.configure("test").listener(events).strategy(CreationStrategy.of(turn -> {
                            if (refuses.get()) {
                                throw new RejectedExecutionException("not now");
                            }
                            thread.execute(turn);
                        })).open()) {
            var shared = mailbox(scope, all);
            var handled = new AtomicInteger();
            Actor<Integer, Integer> actor = scope.anonymous().newActorWithReturn((Integer number) -> {
                if (handled.incrementAndGet() == all / 2) {
                    refuses.set(true);
                }
                return number;
            });
            shared.takenBy(actor, () -> true, () -> {
                idle.incrementAndGet();
                return false;
            });
            for (int number = 0; number < all; number++) {
                assertThat(shared.sendMessage(number)).isTrue();
            }
            actor.sendMessage(-1);
            soon().until(() -> idle.get() == 1);
            assertThat(shared.waiting()).isEqualTo(all + 1 - handled.get()).isPositive();
            refuses.set(false);
            actor.sendMessage(-2);
            soon().until(() -> handled.get() == all + 2);
            assertThat(events.of(Undelivered.class)).isEmpty();
        }
    }

    @Promise("39.11")
    @EveryStrategy
    void codeThatAsksForOneMoreLookIsCalledAgain(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var shared = mailbox(scope, 100);
            var calls = new AtomicInteger();
            Actor<Integer, Integer> actor = scope.anonymous().newActorWithReturn((Integer number) -> number);
            shared.takenBy(actor, () -> false, () -> calls.incrementAndGet() % 3 != 0);
            assertThat(Waits.on(actor.sendMessageReturn(1))).isEqualTo(1);
            soon().until(() -> calls.get() == 3);
        }
    }

    @Promise("39.11")
    @EveryStrategy
    void codeRunsAfterEachSendAndItsFailureIsNotThatOfTheSender(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var shared = mailbox(scope, 100);
            var threads = new CopyOnWriteArrayList<Thread>();
            Actor<Integer, Integer> actor = scope.anonymous().newActorWithReturn((Integer number) -> number);
            shared.whenWaiting(() -> {
                threads.add(Thread.currentThread());
                if (threads.size() == 1) {
                    throw new IllegalStateException("on purpose");
                }
                if (threads.size() == 2) {
                    throw new StackOverflowError("as if the stack were too short");
                }
                shared.handOver(message -> Optional.of(actor));
            });
            var first = shared.sendMessageReturn(1);
            assertThat(events.only(Failed.class)).isEqualTo(
                    Failed.in(Failed.Part.IDLE, "shared", events.only(Failed.class).cause()));
            assertThat(threads).containsExactly(Thread.currentThread());
            var second = shared.sendTracked(2);
            assertThat(Waits.on(first)).isEqualTo(1);
            assertThat(threads.getLast()).isNotSameAs(Thread.currentThread());
            shared.sendMessage(3);
            assertThat(Waits.on(second)).isEqualTo(new MessageFate.Handled());
            assertThat(events.of(Failed.class)).hasSize(1);
            shared.handOver(message -> Optional.of(actor));
        }
    }

    @Promise("39.11")
    @EveryStrategy
    void messagesThatAnActorHandsToItselfKeepTheirOrder(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var shared = mailbox(scope, 100);
            var handled = new CopyOnWriteArrayList<Integer>();
            Actor<Integer, Integer> actor = scope.anonymous().newActorWithReturn((context, number) -> {
                handled.add(number);
                if (number == 0) {
                    for (int n = 0; n < 5; n++) {
                        shared.handOver(message -> Optional.of(context.self()));
                    }
                }
                return number;
            });
            for (int n = 1; n <= 5; n++) {
                shared.sendMessage(n);
            }
            actor.sendMessage(0);
            soon().until(() -> handled.size() == 6);
            assertThat(handled).containsExactly(0, 1, 2, 3, 4, 5);
        }
    }

    @Promise("11.1")
    @EveryStrategy
    void anErrorOfTheCodeThatTellsWhoTakesMessagesRefusesNoWait(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var shared = mailbox(scope, 3);
            var called = new CountDownLatch(1);
            shared.servedBy(() -> {
                called.countDown();
                throw new AssertionError("on purpose");
            });
            var asker = scope.anonymous()
                    .newActorWithReturn((Integer number) -> shared.sendMessageReturn(number).get());
            var asked = CompletableFuture.supplyAsync(() -> asker.apply(21));
            Waits.on(called);
            var taker = scope.anonymous().newActorWithReturn((Integer number) -> number * 2);
            assertThat(shared.handOver(message -> Optional.of(taker))).isEqualTo(HandOver.HANDED);
            assertThat(Waits.on(asked)).isEqualTo(42);
        }
    }

    @Promise("39.11")
    @EveryStrategy
    void theStopOfAScopeWaitsForTheMessages(Strategy strategy) throws Exception {
        var scope = Scopes.on(strategy, events);
        var shared = mailbox(scope, 1_000_000);
        var handled = new CopyOnWriteArrayList<Integer>();
        var actor = scope.anonymous().<Integer, Integer>newActorWithReturn((Integer number) -> {
            handled.add(number);
            return number;
        });
        shared.sendMessage(1);
        shared.sendMessage(2);
        var closing = new CountDownLatch(1);
        var closer = Thread.ofVirtual().start(() -> {
            closing.countDown();
            scope.stop(Duration.ofSeconds(30));
        });
        Waits.on(closing);
        soon().until(shared::isClosing);
        // The mailbox is closed to those outside a moment after the stop of the scope has begun.
        var expected = new ArrayList<>(List.of(1, 2));
        while (shared.sendMessage(3)) {
            expected.add(3);
        }
        assertThat(handled).isEmpty();
        while (shared.handOver(message -> Optional.of(actor)) != HandOver.EMPTY) {
            Thread.onSpinWait();
        }
        Waits.on(closer);
        assertThat(handled).isEqualTo(expected);
    }

    @Promise("39.11")
    @Test
    void aSharedMailboxHasABound() {
        try (var scope = Scopes.configure().open()) {
            assertThatThrownBy(() -> Stereotypes.with(scope.named("endless")).sharedMailbox())
                    .isInstanceOf(IllegalStateException.class).hasMessageContaining("'endless'")
                    .hasMessageContaining("bounded");
        }
    }
}
