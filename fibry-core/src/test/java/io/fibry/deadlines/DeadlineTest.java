package io.fibry.deadlines;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.AskTimeoutException;
import io.fibry.ReceivingContext;
import io.fibry.ReceivingReplyContext;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.Cancellable;
import io.fibry.time.ManualTime;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

class DeadlineTest {
    private final ManualTime time = new ManualTime();
    private final BlockingQueue<Optional<Duration>> seen = new LinkedBlockingQueue<>();

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, event -> {
        }, time);
    }

    /** An actor that answers with, and notes, the time that it has. */
    private Actor<String, Optional<Duration>> reader(ActorScope scope) {
        return scope.named("reader").newActorWithReturn(
                (ActorContext<String, Optional<Duration>> context, String message) -> {
                    seen.add(context.timeLeft());
                    return context.timeLeft();
                });
    }

    private Optional<Duration> seen() throws InterruptedException {
        var next = seen.poll(Patience.MILLIS, TimeUnit.MILLISECONDS);
        assertThat(next).as("a handler was to read its time").isNotNull();
        return next;
    }

    private interface Work {
        void on(ActorContext<String, String> context) throws Exception;
    }

    /** Asks an actor for something, on another thread: on caller() that one is the actor's. */
    private Thread ask(ActorScope scope, Duration timeout, Work work) {
        var actor = scope.named("front").newActorWithReturn(
                (ActorContext<String, String> context, String message) -> {
                    work.on(context);
                    return message;
                });
        return Thread.startVirtualThread(() -> actor.ask("work", timeout));
    }

    @Promise("22.2")
    @EveryStrategy
    void aHandlerReadsWhatIsLeft(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var asker = ask(scope, ofSeconds(5), context -> {
                seen.add(context.timeLeft());
                time.advance(ofSeconds(2));
                seen.add(context.timeLeft());
                time.advance(ofSeconds(4));
                seen.add(context.timeLeft());
            });
            assertThat(seen()).contains(ofSeconds(5));
            assertThat(seen()).contains(ofSeconds(3));
            assertThat(seen()).contains(Duration.ZERO);
            Waits.on(asker);
        }
    }

    @Promise("22.2")
    @EveryStrategy
    void whoHasNoLimitReadsNoneAlsoAfterAnAskThatHadOne(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var reader = reader(scope);
            assertThat(Waits.on(reader.sendMessageReturn("no limit"))).isEmpty();
            assertThat(Waits.on(reader.ask("limit", ofSeconds(5)))).contains(ofSeconds(5));
            assertThat(Waits.on(reader.sendMessageReturn("no limit"))).isEmpty();
            reader.sendMessage("no answer");
            for (var left : List.of(Optional.empty(), Optional.of(ofSeconds(5)), Optional.empty(),
                    Optional.empty())) {
                assertThat(seen()).isEqualTo(left);
            }
        }
    }

    @Promise("22.2")
    @EveryStrategy
    void whatAHandlerAsksHasTheSmallerTime(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var reader = reader(scope);
            var middle = scope.anonymous().newActorWithReturn((String message) -> {
                time.advance(ofSeconds(1));
                return reader.sendMessageReturn(message).get();
            });
            var asker = ask(scope, ofSeconds(9), context -> {
                time.advance(ofSeconds(1));
                reader.ask("less", ofSeconds(3)).get();
                reader.ask("more", ofSeconds(30)).get();
                reader.apply("any");
                reader.sendMessageReturnWait("any");
                middle.apply("two steps");
                reader.execAndWait(() -> reader(scope.child("inner").open()).apply("asked by code"));
            });
            assertThat(seen()).as("its own").contains(ofSeconds(3));
            assertThat(seen()).as("what is left").contains(ofSeconds(8));
            assertThat(seen()).as("what is left to an ask without a limit").contains(ofSeconds(8));
            assertThat(seen()).as("what is left to an ask without a limit").contains(ofSeconds(8));
            assertThat(seen()).as("what is left after two steps").contains(ofSeconds(7));
            assertThat(seen()).as("what code has that was run for the handler").contains(ofSeconds(7));
            Waits.on(asker);
        }
    }

    private interface Wait {
        Object on(Actor<String, String> busy, CompletableFuture<String> earlier)
                throws Exception;
    }

    @Promise("22.3")
    @EveryStrategy
    void waitsEndWithTheHandlersTime(Strategy strategy) throws Exception {
        for (var wait : List.<Wait>of(
                (busy, earlier) -> earlier.get(),
                (busy, earlier) -> earlier.join(),
                (busy, earlier) -> earlier.get(1, TimeUnit.HOURS),
                (busy, earlier) -> earlier.thenApply(text -> text).get(),
                (busy, earlier) -> busy.apply("x"),
                (busy, earlier) -> busy.sendMessageReturnWait("x"),
                (busy, earlier) -> busy.ask("x", ofHours(1)).get(),
                (busy, earlier) -> busy.execFuture(() -> "x").join())) {
            try (var scope = scope(strategy)) {
                var busy = scope.named("busy").newActorWithReturn((String message) -> message);
                var failures = new LinkedBlockingQueue<Throwable>();
                try (var gate = Gate.in(busy)) {
                    var earlier = busy.sendMessageReturn("earlier");
                    var timers = time.pending();
                    var asker = ask(scope, ofSeconds(5), context -> {
                        try {
                            wait.on(busy, earlier);
                        } catch (Exception e) {
                            failures.add(e);
                        }
                    });
                    Waits.until("it waits", () -> time.pending() == timers + 2);
                    time.advance(ofSeconds(4));
                    assertThat(failures).isEmpty();
                    time.advance(ofSeconds(1));
                    var failure = failures.poll(Patience.MILLIS, TimeUnit.MILLISECONDS);
                    assertThat(failure).isNotNull();
                    assertThat(failure.getMessage()).contains("'busy'", "5 s", "'front'", "queued");
                    if (!(failure instanceof TimeoutException)) {
                        assertThat(failure).hasCauseInstanceOf(AskTimeoutException.class);
                    }
                    Waits.on(asker);
                    assertThat(earlier).as("somebody else's").isNotDone();
                    assertThat(time.pending()).isZero();
                    gate.open();
                    assertThat(Waits.on(earlier)).isEqualTo("earlier");
                }
            }
        }
    }

    @Promise("22.3")
    @EveryStrategy
    void whoseTimeIsOverIsNotStartedThoughTheTimerIsLate(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, event -> {
        }, new Late())) {
            var reader = reader(scope);
            try (var gate = Gate.in(reader)) {
                var ask = reader.ask("x", ofSeconds(1));
                time.advance(ofSeconds(1));
                gate.open();
                assertThat(Waits.failure(ask.toCompletableFuture())).isInstanceOf(AskTimeoutException.class)
                        .hasMessageContaining("not running");
            }
            assertThat(Waits.on(reader.execFuture(() -> "the next one"))).isEqualTo("the next one");
            assertThat(reader.counters().expired()).isEqualTo(1);
            assertThat(seen).isEmpty();
        }
    }

    @Promise("22.3")
    @EveryStrategy
    void whatIsAskedWhenTheTimeIsOverIsNotSent(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var reader = reader(scope);
            var failures = new LinkedBlockingQueue<Throwable>();
            var asker = ask(scope, ofSeconds(1), context -> {
                time.advance(ofSeconds(3));
                failures.add(Waits.failure(reader.sendMessageReturn("x")));
                failures.add(Waits.failure(reader.execFuture(() -> seen.add(Optional.empty()))));
            });
            for (int i = 0; i < 2; i++) {
                assertThat(failures.poll(Patience.MILLIS, TimeUnit.MILLISECONDS))
                        .isInstanceOf(AskTimeoutException.class)
                        .hasMessageContainingAll("'reader'", "'front'", "not sent", "within 0 ns");
            }
            Waits.on(asker);
            assertThat(reader.counters().expired()).isEqualTo(2);
            assertThat(reader.counters().total()).isEqualTo(2);
            assertThat(seen).isEmpty();
        }
    }

    @Promise("22.2")
    @EveryStrategy
    void messagesAndWhatIsToBeDoneInAnyCaseHaveNoDeadline(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var reader = reader(scope);
            var asker = ask(scope, ofSeconds(1), context -> {
                reader.sendMessage("a message");
                time.advance(ofSeconds(1));
                var left = context.withoutDeadline(() -> {
                    seen.add(context.timeLeft());
                    return reader.sendMessageReturn("in any case").get();
                });
                seen.add(left);
                seen.add(context.timeLeft());
            });
            for (int i = 0; i < 4; i++) {
                assertThat(seen()).isEmpty();
            }
            assertThat(seen()).as("after that").contains(Duration.ZERO);
            Waits.on(asker);
        }
    }

    /** A clock whose timers never ring. */
    private final class Late implements TimeSource {
        private final Set<Duration> asked = ConcurrentHashMap.newKeySet();

        @Override
        public long nanoTime() {
            return time.nanoTime();
        }

        @Override
        public Cancellable schedule(long delayNanos, Runnable task) {
            asked.add(Duration.ofNanos(delayNanos));
            return () -> true;
        }
    }

    @Promise("22.2")
    @EveryStrategy
    void aDeadlineEndsWithItsMessageThoughItIsHiddenThen(Strategy strategy) throws Exception {
        if (strategy == Strategy.CALLER) {
            return; // a receiving handler would wait on the thread of its sender
        }
        try (var scope = scope(strategy)) {
            var end = new CompletableFuture<Void>();
            Actor<String, Void> actor =
                    scope.anonymous().newReceivingActor((ReceivingContext<String> inbox) -> {
                        inbox.receive();
                        seen.add(inbox.timeLeft());
                        inbox.withoutDeadline(inbox::receive);
                        seen.add(inbox.timeLeft());
                        inbox.receive();
                        seen.add(inbox.timeLeft());
                        inbox.withoutDeadline(inbox::receive); // takes a message with less time
                        seen.add(inbox.timeLeft());
                        inbox.receive();
                        seen.add(inbox.timeLeft());
                        end.complete(null);
                    });
            actor.ask("timed", ofSeconds(5));
            assertThat(seen()).contains(ofSeconds(5));
            actor.sendMessage("told");
            assertThat(seen()).isEmpty();
            actor.ask("timed", ofSeconds(7));
            assertThat(seen()).contains(ofSeconds(7));
            actor.ask("timed", ofSeconds(3));
            assertThat(seen()).contains(ofSeconds(3));
            actor.sendMessage("told");
            assertThat(seen()).isEmpty();
            Waits.on(end);
        }
    }

    /** The limit of the message that the handler was called with holds for what it does next. */
    @Promise("22.2")
    @EveryStrategy
    void theDeadlineOfTheHandlersOwnMessageComesBack(Strategy strategy) throws Exception {
        if (strategy == Strategy.CALLER) {
            return; // a receiving handler would wait on the thread of its sender
        }
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().newReceivingActorWithReturn(
                    (ReceivingReplyContext<String, String> inbox, String message) -> {
                        inbox.reply(inbox.receive() + " was taken");
                        inbox.withoutDeadline(() -> inbox.reply(inbox.receive() + " was taken"));
                        seen.add(inbox.timeLeft());
                        assertThat(inbox.receive(any -> true, Duration.ZERO)).isEmpty();
                        seen.add(inbox.timeLeft());
                        return message;
                    });
            actor.ask("own", ofSeconds(9));
            actor.ask("hidden", ofSeconds(5));
            actor.ask("inside", ofSeconds(7));
            assertThat(seen()).contains(ofSeconds(7));
            assertThat(seen()).contains(ofSeconds(9));
        }
    }

    @Promise("22.3")
    @EveryStrategy
    void anAskWhoseTimeIsOverIsNotReceivedThoughTheTimerIsLate(Strategy strategy) throws Exception {
        if (strategy == Strategy.CALLER) {
            return; // a receiving handler would wait on the thread of its sender
        }
        try (var scope = Scopes.on(strategy, event -> {
        }, new Late())) {
            var taken = new LinkedBlockingQueue<String>();
            Actor<String, Void> actor =
                    scope.anonymous().newReceivingActor((ReceivingContext<String> inbox, String message) -> {
                        inbox.receive(m -> m.equals("gone"), Duration.ZERO).ifPresent(taken::add);
                        inbox.receive(m -> m.equals("gone"), Duration.ZERO).ifPresent(taken::add);
                    });
            CompletableFuture<Void> ask;
            try (var gate = Gate.in(actor)) {
                assertThat(gate).isNotNull();
                actor.sendMessage("first");
                ask = actor.ask("gone", ofSeconds(1)).toCompletableFuture();
                time.advance(ofSeconds(1));
            }
            assertThat(Waits.failure(ask)).isInstanceOf(AskTimeoutException.class);
            actor.close();
            assertThat(taken).isEmpty();
            assertThat(actor.counters().expired()).isEqualTo(1);
        }
    }

    @EveryStrategy
    void theTimeOutOfGetIsRealTime(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().newActorWithReturn((String message) -> message);
            try (var gate = Gate.in(actor)) {
                assertThat(gate).isNotNull();
                for (var ask : List.of(actor.sendMessageReturn("a"),
                        actor.ask("b", ofHours(1)))) {
                    assertThatThrownBy(() -> ask.get(5, TimeUnit.MILLISECONDS))
                            .isInstanceOf(TimeoutException.class);
                }
            }
        }
    }
}
