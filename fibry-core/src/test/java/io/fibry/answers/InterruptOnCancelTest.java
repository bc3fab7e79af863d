package io.fibry.answers;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.event.Failed;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicInteger;

class InterruptOnCancelTest {
    private final Recorder recorder = new Recorder();
    private final SynchronousQueue<String> running = new SynchronousQueue<>();
    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicInteger interrupted = new AtomicInteger();

    private String stay(String message) throws InterruptedException {
        if (message.equals("stay")) {
            running.put(message);
            try {
                end.await();
            } catch (InterruptedException e) {
                interrupted.incrementAndGet();
                throw e;
            }
        }
        return message + (Thread.currentThread().isInterrupted() ? " interrupted" : "");
    }

    /** The ask of a thread of its own: on caller() the answer comes only when the handler is done. */
    private CompletableFuture<CompletableFuture<String>> ask(Actor<String, String> actor) {
        var asked = new CompletableFuture<CompletableFuture<String>>();
        Thread.startVirtualThread(() -> asked.complete(actor.sendMessageReturn("stay")));
        return asked;
    }

    @Promise("5.5")
    @EveryStrategy
    void aRunningHandlerIsLeftAloneUnlessTheActorWasBuiltForIt(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.anonymous().newActorWithReturn(this::stay);
            var asked = ask(actor);
            running.take();
            if (strategy.isAsync()) {
                Waits.on(asked).cancel(true);
            }
            end.countDown();
            assertThat(Waits.on(actor.sendMessageReturn("next"))).isEqualTo("next");
            assertThat(interrupted).hasValue(0);
            assertThat(actor.counters().handled()).isEqualTo(2);
        }
    }

    @Promise({"5.5", "12.1"})
    @EveryStrategy
    void expiryInterruptsTheHandlerAndNoOther(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, recorder, time)) {
            var actor = scope.anonymous().interruptOnCancel().newActorWithReturn(this::stay);
            var asker = Thread.startVirtualThread(
                    () -> actor.ask("stay", Duration.ofSeconds(1)));
            running.take();
            time.advance(Duration.ofSeconds(1));
            assertThat(Waits.on(actor.sendMessageReturn("next"))).isEqualTo("next");
            Waits.on(asker);
            assertThat(interrupted).hasValue(1);
            assertThat(actor.counters().expired()).isEqualTo(1);
            assertThat(actor.counters().failed()).isZero();
            assertThat(recorder.of(Failed.class)).isEmpty();
        }
    }

    @Promise("5.5")
    @EveryStrategy
    void aReceivedAskThatIsInterruptedIsCountedAsExpired(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, recorder, time)) {
            var entered = new CountDownLatch(1);
            var actor = scope.anonymous().interruptOnCancel().<String>newReceivingActor((context, first) -> {
                if (first.equals("receive")) {
                    entered.countDown();
                    stay(context.receive());
                }
            });
            var plain = Thread.startVirtualThread(() -> actor.sendMessage("receive"));
            Waits.on(entered);
            var asker = Thread.startVirtualThread(
                    () -> actor.ask("stay", Duration.ofSeconds(1)));
            running.take();
            time.advance(Duration.ofSeconds(1));
            Waits.on(actor.sendMessageReturn("next"));
            Waits.on(asker);
            Waits.on(plain);
            assertThat(interrupted).hasValue(1);
            assertThat(actor.counters().expired()).as("the ask").isEqualTo(1);
            assertThat(actor.counters().failed()).as("the message whose handler has thrown").isEqualTo(1);
            assertThat(actor.counters().handled()).isEqualTo(1);
        }
    }

    @Promise({"5.5", "12.1"})
    @EveryStrategy
    void theInterruptNeverReachesTheNextMessage(Strategy strategy) throws Exception {
        var dirty = new AtomicInteger();
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.anonymous().interruptOnCancel().newActorWithReturn((Integer n) -> {
                if (Thread.currentThread().isInterrupted() && n % 2 == 1) {
                    dirty.incrementAndGet();
                }
                return n;
            });
            Senders.run(2, sender -> {
                for (int i = 0; i < 5_000; i++) {
                    var answer = actor.sendMessageReturn(2 * i);
                    actor.sendMessage(2 * i + 1); // odd ones are never cancelled
                    answer.cancel(true);
                }
            });
        }
        assertThat(dirty).hasValue(0);
    }

    @Promise("5.5")
    @EveryStrategy
    void expiryWhileTheHandlerSendsIsNotForgotten(Strategy strategy) throws Exception {
        var time = new ManualTime(Instant.EPOCH, Patience.LIMIT);
        try (var scope = Scopes.on(strategy, recorder, time)) {
            var busy = new CountDownLatch(1);
            var goOn = new CountDownLatch(1);
            var other = scope.anonymous().newActor((String message) -> {
                busy.countDown();
                goOn.await();
            });
            var result = new CompletableFuture<String>();
            var actor = scope.anonymous().interruptOnCancel().newActorWithReturn((String message) -> {
                other.sendMessage("run on top of me on caller()");
                try {
                    end.await();
                    result.complete("not interrupted");
                } catch (InterruptedException e) {
                    result.complete("interrupted");
                }
                return message;
            });
            var asker = Thread.startVirtualThread(
                    () -> actor.ask("go", Duration.ofSeconds(1)));
            Waits.on(busy);
            time.advance(Duration.ofSeconds(1));
            goOn.countDown();
            try {
                assertThat(Waits.on(result)).isEqualTo("interrupted");
            } finally {
                end.countDown();
                Waits.on(asker);
            }
        }
    }

    /** Waits until it is interrupted, not for ever; whether it was. */
    private String hang(String what) throws InterruptedException {
        running.put(what);
        try {
            return what + (end.await(Patience.MILLIS, MILLISECONDS) ? " was let go" : " goes on");
        } catch (InterruptedException e) {
            return what + " interrupted";
        }
    }

    private String begun() throws InterruptedException {
        return String.valueOf(running.poll(Patience.MILLIS, MILLISECONDS));
    }

    private static Thread aside(Actor<String, Void> actor, String message, int seconds) {
        return Thread.startVirtualThread(() -> actor.ask(message, Duration.ofSeconds(seconds)));
    }

    @Promise({"5.5", "12.1"})
    @EveryStrategy
    void anAskThatIsTakenInTheHandlerOfAnotherLeavesThatOneItsInterrupt(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, recorder, time)) {
            var seen = new CopyOnWriteArrayList<String>();
            Actor<String, Void> actor = scope.anonymous().interruptOnCancel()
                    .newReceivingActor((context, message) -> {
                        running.put(message);
                        context.receive(m -> m.equals("inner"));
                        seen.add(hang("inner")); // its own time is over
                        context.receive(m -> m.equals("second"));
                        seen.add(hang("second")); // the outer one's is, while this one is in work
                        context.receive(m -> m.equals("third"));
                        seen.add(Thread.currentThread().isInterrupted() ? "twice" : "once");
                        throw new InterruptedException("as wanted");
                    });
            var asker = aside(actor, "outer", 5);
            assertThat(begun()).isEqualTo("outer");
            var inner = aside(actor, "inner", 1);
            assertThat(begun()).isEqualTo("inner");
            time.advance(Duration.ofSeconds(1));
            Waits.on(inner);
            var second = aside(actor, "second", 100);
            assertThat(begun()).isEqualTo("second");
            time.advance(Duration.ofSeconds(4));
            Waits.on(second);
            actor.sendMessage("third");
            Waits.on(asker);
            Waits.until("the end of the handler", () -> actor.counters().total() == 4);
            assertThat(seen).containsExactly("inner interrupted", "second interrupted", "once");
            assertThat(actor.counters().expired()).as("the outer one").isEqualTo(1);
        }
    }

    @Promise("5.5")
    @EveryStrategy
    void anAskIsInterruptedAfterOneTakenInItsHandlerWasAnswered(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, recorder, time)) {
            var seen = new CompletableFuture<String>();
            Actor<String, Void> actor = scope.anonymous().interruptOnCancel()
                    .newReceivingActor((context, message) -> {
                        running.put(message);
                        context.receive(m -> m.equals("inner"));
                        context.receive(m -> m.equals("plain")); // the inner one is answered here
                        seen.complete(hang("outer"));
                    });
            var asker = aside(actor, "outer", 5);
            assertThat(begun()).isEqualTo("outer");
            var inner = aside(actor, "inner", 10);
            Waits.until("it is taken", () -> actor.mailboxSize() == 0);
            actor.sendMessage("plain");
            assertThat(begun()).isEqualTo("outer");
            Waits.on(inner);
            time.advance(Duration.ofSeconds(5));
            assertThat(Waits.on(seen)).isEqualTo("outer interrupted");
            Waits.on(asker);
        }
    }
}
