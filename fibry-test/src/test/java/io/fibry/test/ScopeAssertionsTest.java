package io.fibry.test;

import static io.fibry.test.ScopeAssertions.assertNothingLost;
import static io.fibry.test.ScopeAssertions.awaitIdle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.event.Failed;
import io.fibry.event.Stopped;
import io.fibry.event.Undelivered;
import io.fibry.message.DeferredReply;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import io.fibry.time.Schedule;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ScopeAssertionsTest {
    private static final Duration SHORT = Duration.ofMillis(20);

    @Promise("53.7")
    @EveryStrategy
    void idleMeansThatAllMessagesAreHandled(Strategy strategy) {
        try (var scope = ActorSystem.configure("test").strategy(strategy.create()).open()) {
            var count = new int[1];
            var last = scope.anonymous().newActor((String message) -> {
                count[0]++;
            });
            var first = scope.anonymous().newActor((String message) -> {
                last.sendMessage(message);
            });
            for (var number = 0; number < 1_000; number++) {
                first.sendMessage("m");
            }
            awaitIdle(scope);
            assertThat(count[0]).isEqualTo(1_000);
            assertNothingLost(scope);
        }
    }

    @Promise("53.7")
    @Test
    void whatKeepsAScopeBusyIsShown() throws InterruptedException {
        try (var scope = ActorSystem.open("test")) {
            var begun = new CountDownLatch(1);
            var goOn = new CountDownLatch(1);
            scope.named("slow").newActor((String message) -> {
                begun.countDown();
                Waits.on(goOn);
            }).sendMessage("m");
            Waits.on(begun);
            assertThatThrownBy(() -> awaitIdle(scope, SHORT)).isInstanceOf(AssertionError.class)
                    .hasMessageContainingAll("scope 'test' is not idle; the limit was PT0.02S", "'slow'");
            assertThatThrownBy(() -> assertNothingLost(scope, SHORT)).isInstanceOf(AssertionError.class)
                    .hasMessageContaining("'slow'");
            goOn.countDown();
            awaitIdle(scope);
            assertThatIllegalArgumentException().isThrownBy(() -> awaitIdle(scope, Duration.ZERO));
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> awaitIdle(scope)).isInstanceOf(AssertionError.class)
                    .hasMessageContaining("interrupted while the test waited for scope 'test' to be idle");
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Promise("53.7")
    @EveryStrategy
    void whatIsLostOrLeftIsNamed(Strategy strategy) {
        try (var scope = ActorSystem.configure("test").strategy(strategy.create()).open();
                var recorder = Recorder.of(scope)) {
            assertNothingLost(scope);
            var stopped = scope.named("stopped").newActor((String message) -> {
            });
            stopped.stop(Duration.ofSeconds(5));
            stopped.sendMessage("lost");
            expectFound(scope, "messages lost in scope 'test': 1, by cause: {STOPPED=1}");
            expectFound(scope, "the first that were lost or expired in scope 'test':"
                    + " actor 'stopped' did not get a message of java.lang.String: STOPPED");

            scope.sendOrKeep(ActorName.of("nobody"), "kept", 5);
            expectFound(scope, "messages kept for names that no actor has in scope 'test': 1");

            var job = scope.schedule(Schedule.once(Duration.ofHours(1)), () -> {
            });
            expectFound(scope, "scheduled jobs in scope 'test': 1");
            job.cancel();

            var timed = scope.named("timed").<String>newActor((context, message) -> {
                context.timers().once("later", Duration.ofHours(1), "over");
            });
            timed.sendMessage("begin");
            expectFound(scope, "timers set in scope 'test': 1, by ['timed']");
            timed.stop(Duration.ofSeconds(5));

            var reply = new AtomicReference<DeferredReply<String>>();
            var owing = scope.named("owing").<String, String>newActorWithReturn((context, message) -> {
                reply.set(context.deferReply());
                return "";
            });
            var answer = owing.sendMessageReturn("ask");
            expectFound(scope, "deferred replies to open asks in scope 'test': 1, by ['owing']");
            reply.get().complete("late");
            assertThat(answer.join()).isEqualTo("late");
            recorder.expect(Undelivered.class);
        }
    }

    private static void expectFound(ActorScope scope, String what) {
        assertThatThrownBy(() -> assertNothingLost(scope)).isInstanceOf(AssertionError.class)
                .hasMessageContainingAll("has lost something, or something is left in it", what,
                        "scope 'test'");
    }

    @Promise("53.7")
    @EveryStrategy
    void theFirstMessagesThatAreLostAreNamed(Strategy strategy) throws InterruptedException {
        var time = new ManualTime();
        try (var scope =
                ActorSystem.configure("test").strategy(strategy.create()).time(time).listener(event -> {
                }).open()) {
            scope.sendOrKeep(ActorName.of("nobody"), 1, 0);
            expectFound(scope, "actor 'nobody' did not get a message of java.lang.Integer: NO_SUCH_ACTOR");
            if (strategy.isAsync()) {
                var begun = new CountDownLatch(1);
                var goOn = new CountDownLatch(1);
                var slow = scope.named("slow").newActor((String message) -> {
                    begun.countDown();
                    Waits.on(goOn);
                });
                slow.sendMessage("m");
                Waits.on(begun);
                slow.sendMessage("late", Duration.ofSeconds(1));
                time.advance(Duration.ofSeconds(2));
                goOn.countDown();
                expectFound(scope, "messages expired in scope 'test': 1, by ['slow']");
                expectFound(scope, "actor 'slow' did not get a message of java.lang.String: EXPIRED");
            }
            for (int i = 0; i < 100; i++) {
                scope.sendOrKeep(ActorName.of("somebody " + i), "m", 0);
            }
            assertThatThrownBy(() -> assertNothingLost(scope)).message().contains("'somebody 5'")
                    .doesNotContain("'somebody 8'");
        }
    }

    @Promise("53.7")
    @Test
    void whatIsLostInManyScopesIsNamed() {
        try (var scope = ActorSystem.configure("test").listener(event -> {
        }).open()) {
            for (int i = 0; i < 10; i++) {
                scope.sendOrKeep(
                        ActorName.of("a name that is rather long, for an actor that is not there " + i), i,
                        0);
                scope.child("inner " + i).open().sendOrKeep(ActorName.of("x"), "m", 0);
            }
            for (int i = 0; i < 10; i++) {
                expectFound(scope, "messages lost in scope 'inner " + i + "': 1");
                expectFound(scope, "the first that were lost or expired in scope 'inner " + i + "'");
            }
            expectFound(scope, "messages lost in scope 'test': 10, by cause: {NO_SUCH_ACTOR=10}");
            expectFound(scope,
                    "for an actor that is not there 4' did not get a message of java.lang.Integer");
        }
    }

    @Promise("53.7")
    @Test
    void itCanBeAskedAfterTheCloseToo() {
        var scope = ActorSystem.open("test");
        var probe = Probe.<String, Void>in(scope);
        probe.actor().sendMessage("a");
        scope.close();
        assertThatCode(() -> assertNothingLost(scope)).doesNotThrowAnyException();
        try (var recorder = Recorder.of(scope)) {
            probe.actor().sendMessage("too late");
            assertThatThrownBy(() -> assertNothingLost(scope)).isInstanceOf(AssertionError.class)
                    .hasMessageContaining("messages lost in scope 'test': 1");
            recorder.expect(Undelivered.class);
        }
    }

    @Promise("53.8")
    @EveryStrategy
    void aRecorderHasTheEvents(Strategy strategy) {
        try (var scope = ActorSystem.configure("test").strategy(strategy.create()).open()) {
            var recorder = Recorder.of(scope);
            var failing = scope.named("failing").<String>newActor(message -> {
                throw new IllegalStateException(message);
            });
            failing.sendMessage("one");
            failing.sendMessage("two");
            failing.stop(Duration.ofSeconds(5));
            recorder.expect(Stopped.class);
            assertThat(recorder.expect(Failed.class).cause()).hasMessage("one");
            assertThatThrownBy(() -> recorder.expectNone(Failed.class)).isInstanceOf(AssertionError.class)
                    .hasMessageContainingAll("expected no event Failed", "two");
            assertThat(recorder.expect(Failed.class, failed -> failed.cause().getMessage().equals("two"),
                    Duration.ofSeconds(5)).actor()).isEqualTo("failing");
            recorder.expectNone(Failed.class);
            assertThatThrownBy(() -> recorder.expect(Failed.class, SHORT)).isInstanceOf(AssertionError.class)
                    .hasMessageContainingAll("expected an event Failed", "waited for PT0.02S",
                            "all events so far");
            var events = recorder.events();
            recorder.close();
            recorder.close();
            try (var quiet = Recorder.of(scope)) {
                failing.sendMessage("not recorded");
                quiet.expect(Undelivered.class);
            }
            assertThat(recorder.events()).isEqualTo(events).isInstanceOf(List.class);
        }
    }
}
