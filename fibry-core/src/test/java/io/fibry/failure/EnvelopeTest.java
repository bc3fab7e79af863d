package io.fibry.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.ReceivingReplyContext;
import io.fibry.Watchdog;
import io.fibry.event.Failed;
import io.fibry.event.HighWater;
import io.fibry.event.Stuck;
import io.fibry.event.Undelivered;
import io.fibry.message.Envelope;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** Failures on messages that carry other objects. */
class EnvelopeTest {
    private record Letter(Object content) implements Envelope {
        @Override
        public Optional<String> about() {
            return Optional.of("tea");
        }
    }

    private record Torn() implements Envelope {
        @Override
        public Object content() {
            throw new IllegalStateException("torn");
        }
    }

    /** A message whose loss is reported if the actor's mailbox is full, and not otherwise. */
    private record Signal(Object content) implements Envelope {
        @Override
        public boolean isLossReported(Undelivered.Cause cause) {
            if (content.equals("broken")) {
                throw new IllegalStateException("as wanted");
            }
            return cause == Undelivered.Cause.FULL;
        }
    }

    @Promise("4.3")
    @EveryStrategy
    void aMessageMayKeepItsLossOutOfTheReportsAndIsCounted(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.named("post").newActor((Object message) -> {
            });
            actor.close();
            actor.sendMessage(new Signal("late"));
            assertThat(recorder.of(Undelivered.class)).isEmpty();
            actor.sendMessage(new Signal("broken"));
            assertThat(recorder.only(Undelivered.class).cause()).isEqualTo(Undelivered.Cause.STOPPED);
            assertThat(actor.counters().refused()).isEqualTo(2);
        }
    }

    @Promise("10.6")
    @EveryStrategy
    void theReportNamesTheContent(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.anonymous().newActor((Object message) -> {
                throw new IllegalStateException("as wanted");
            });
            List.of(new Letter(1), new Torn(), "plain").forEach(actor::sendMessage);
            actor.close();
            var failures = recorder.of(Failed.class);
            assertThat(failures).extracting(failed -> failed.message().orElseThrow().getSimpleName())
                    .containsExactly("Integer", "Torn", "String");
            assertThat(failures).extracting(Failed::about)
                    .containsExactly(Optional.of("tea"), Optional.empty(), Optional.empty());
            assertThat(failures.getFirst().toString()).contains("about=tea").contains("java.lang.Integer");
        }
    }

    @Promise("10.6")
    @EveryStrategy
    void theTextAboutALostMessageNamesTheContentAndTheRemedy(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var begun = new CountDownLatch(1);
            var go = new CountDownLatch(1);
            var actor = scope.named("post").newActorWithReturn((Object message) -> {
                begun.countDown();
                go.await();
                return message;
            });
            var first = Thread.startVirtualThread(() -> actor.sendMessage("first"));
            Waits.on(begun);
            var waiting = actor.sendMessageReturn(new Letter(1));
            var torn = actor.sendMessageReturn(new Torn());
            actor.askExit();
            go.countDown();
            actor.waitForExit();
            first.join();
            assertThat(waiting).failsWithin(Patience.LIMIT).withThrowableOfType(ExecutionException.class)
                    .withMessageContaining(
                            "actor 'post' stopped (EXIT) while a message of java.lang.Integer waited for it; "
                                    + "a poison pill");
            assertThat(torn).failsWithin(Patience.LIMIT).withThrowableOfType(ExecutionException.class)
                    .withMessageContaining(Torn.class.getName());
            assertThat(actor.sendMessageReturn(new Letter(1))).failsWithin(Patience.LIMIT)
                    .withThrowableOfType(ExecutionException.class)
                    .withMessageContaining(
                            "when a message of java.lang.Integer was sent to it; make another actor");
        }
    }

    @Promise("10.6")
    @EveryStrategy
    void theReportOfAStuckHandlerNamesTheContent(Strategy strategy) throws Exception {
        var time = new ManualTime(Instant.EPOCH, Duration.ZERO);
        var recorder = new Recorder();
        var go = new CountDownLatch(1);
        var limit = Duration.ofSeconds(4);
        try (var scope =
                ActorSystem.configure("watched").strategy(strategy.create()).time(time).listener(recorder)
                        .watchdog(Watchdog.none().stuckAfter(limit)).open()) {
            var begun = new CountDownLatch(1);
            var actor = scope.anonymous().newActor((Letter letter) -> {
                begun.countDown();
                go.await();
            });
            var sender = Thread.ofPlatform().start(() -> actor.sendMessage(new Letter(1)));
            Waits.on(begun);
            for (int looks = 0; looks < 6; looks++) {
                Waits.until("the watchdog has looked", () -> time.pending() == 1);
                time.advance(limit.dividedBy(4));
            }
            assertThat(recorder.await(Stuck.class).message()).contains(Integer.class);
            go.countDown();
            sender.join();
        } finally {
            go.countDown();
        }
    }

    @Promise({"10.6", "29.5"})
    @EveryStrategy
    void theReportOfAGrowingMailboxNamesTheContent(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            for (var message : List.of(new Letter(1), new Torn())) {
                var actor = scope.anonymous().newActor((Object any) -> {
                });
                try (var gate = Gate.in(actor)) {
                    for (int i = 0; i < 11_000; i++) {
                        actor.sendMessage(message);
                    }
                    actor.askExit();
                    gate.open();
                }
                actor.waitForExit();
            }
        }
        assertThat(recorder.of(HighWater.class))
                .extracting(event -> event.message().orElseThrow().getSimpleName())
                .containsExactly("Integer", "Torn");
    }

    @Promise({"10.6", "34.11"})
    @EveryStrategy
    void theTextAboutAMissingReplyNamesTheContent(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous().newReceivingActorWithReturn(
                    (ReceivingReplyContext<Letter, String> inbox) -> inbox.receive());
            assertThat(Waits.failure(actor.sendMessageReturn(new Letter(1))))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("was asked a message of java.lang.Integer and took it");
        }
    }

    @Promise("10.6")
    @Test
    void theTextOfAnEventNamesAnEnvelopeWhoseContentCannotBeRead() {
        Envelope burnt = () -> {
            throw new AssertionError("burnt");
        };
        assertThat(new Undelivered("post", burnt, Undelivered.Cause.FULL).toString())
                .contains(burnt.getClass().getName());
    }

    @Promise("10.6")
    @EveryStrategy
    void theTextAboutATimeOutNamesTheContent(Strategy strategy) throws Exception {
        var time = new ManualTime(Instant.EPOCH, Duration.ZERO);
        var go = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy, new Recorder(), time)) {
            var begun = new CountDownLatch(1);
            var actor = scope.anonymous().newActorWithReturn((Letter letter) -> {
                begun.countDown();
                go.await();
                return 1;
            });
            var failure = new CompletableFuture<Throwable>();
            var asker = Thread.ofPlatform().start(() -> actor
                    .ask(new Letter(1), Duration.ofSeconds(1))
                    .whenComplete((value, why) -> failure.complete(why)));
            Waits.on(begun);
            time.advance(Duration.ofSeconds(2));
            go.countDown(); // on the caller's thread there is no answer before
            asker.join();
            assertThat(Waits.on(failure)).hasMessageContaining("a message of java.lang.Integer within 1 s");
        } finally {
            go.countDown();
        }
    }
}
