package io.fibry.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.Reply;
import io.fibry.Request;
import io.fibry.event.Failed;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import io.fibry.time.Schedule;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ProbeTest {
    private static final Duration SHORT = Duration.ofMillis(20);

    record Price(String item) implements Request<Integer> {
    }

    private static ActorScope scope(Strategy strategy) {
        return ActorSystem.configure("test").strategy(strategy.create()).open();
    }

    @Promise("53.1")
    @EveryStrategy
    void messagesAreTakenInTheirOrder(Strategy strategy) {
        try (var scope = scope(strategy)) {
            Probe<Object, Void> probe = Probe.in(scope, "probe");
            var relay = scope.anonymous().<Object>newActor(message -> probe.actor().sendMessage(message));
            for (var message : List.of(1, "two", 3, 4, "five", 6, 7, "eight")) {
                relay.sendMessage(message);
            }
            probe.expect(1);
            assertThat(probe.expect(String.class)).isEqualTo("two");
            probe.expectInOrder(List.of(3, 4));
            assertThat(probe.expectNext()).isEqualTo("five");
            probe.expectInAnyOrder(List.of(7, 6));
            probe.expect("eight");
            assertThat(probe.received()).containsExactly(1, "two", 3, 4, "five", 6, 7, "eight");
        }
    }

    @Promise("53.1")
    @EveryStrategy
    void fishingPassesOverWhatIsNotWanted(Strategy strategy) {
        try (var scope = scope(strategy)) {
            Probe<Object, Void> probe = Probe.in(scope);
            for (var message : List.of(1, 2, "three", 4, 5)) {
                probe.actor().sendMessage(message);
            }
            assertThat(probe.fish(String.class)).isEqualTo("three");
            assertThat(probe.fish(message -> message.equals(5))).isEqualTo(5);
        }
    }

    @Promise("53.1")
    @EveryStrategy
    void answersFollowTheScript(Strategy strategy)
            throws InterruptedException, ExecutionException, TimeoutException {
        try (var scope = scope(strategy)) {
            Probe<String, Integer> probe = Probe.in(scope);
            var failure = new IllegalStateException("planned");
            probe.willAnswer(1).willFail(failure).willHandle(String::length).otherwise(message -> -1);
            assertThat(Waits.on(probe.actor().sendMessageReturn("first"))).isEqualTo(1);
            assertThat(Waits.failure(probe.actor().sendMessageReturn("second"))).isSameAs(failure);
            assertThat(Waits.on(probe.actor().sendMessageReturn("third"))).isEqualTo(5);
            assertThat(Waits.on(probe.actor().sendMessageReturn("fourth"))).isEqualTo(-1);
            assertThat(probe.received()).containsExactly("first", "second", "third", "fourth");
        }
    }

    @Promise("53.1")
    @Test
    void aRequestIsAnsweredByItsReply() throws ExecutionException, InterruptedException {
        try (var scope = ActorSystem.open("test")) {
            Probe<Price, Reply> prices = Probe.in(scope, "prices");
            prices.willHandle(price -> price.reply(7));
            assertThat(prices.actor().requestWait(new Price("tea"))).isEqualTo(7);
            prices.expect(new Price("tea"));
        }
    }

    @Promise("53.3")
    @EveryStrategy
    void aFailureTellsWhatWasExpectedWhatCameAndWhatTheActorsDo(Strategy strategy) {
        try (var scope = scope(strategy)) {
            Probe<Object, Void> probe = Probe.in(scope, "probe");
            for (var number = 0; number < 30; number++) {
                probe.actor().sendMessage(number);
            }
            assertThatThrownBy(() -> probe.expect(1)).isInstanceOf(AssertionError.class)
                    .hasMessageContainingAll("probe 'probe' expected 1", "but next came: 0");
            assertThatThrownBy(() -> probe.expect(String.class)).isInstanceOf(AssertionError.class)
                    .hasMessageContainingAll("expected a java.lang.String", "but next came: 1");
            assertThatThrownBy(() -> probe.expectInAnyOrder(List.of(2, 4))).isInstanceOf(AssertionError.class)
                    .hasMessageContainingAll("in any order [4]", "but next came: 3");
            assertThatThrownBy(() -> probe.expectNothing(SHORT)).isInstanceOf(AssertionError.class)
                    .hasMessageContainingAll("expected nothing", "but there came: 4");
            probe.fish(message -> message.equals(29));
            assertThatThrownBy(() -> probe.expect("more", SHORT)).isInstanceOf(AssertionError.class)
                    .hasMessageContainingAll("expected more", "waited for PT0.02S", "(10 more before)", "29",
                            "scope 'test'");
            assertThatThrownBy(() -> probe.fish(String.class, SHORT)).isInstanceOf(AssertionError.class)
                    .hasMessageContaining("a java.lang.String among other messages");
        }
    }

    @Promise("53.3")
    @EveryStrategy
    void aWaitMovesAClockThatStands(Strategy strategy) {
        var time = new ManualTime();
        try (var scope = ActorSystem.configure("test").strategy(strategy.create()).time(time).open()) {
            Probe<String, Void> probe = Probe.in(scope);
            var late = scope.anonymous().<String>newActor((context, message) -> {
                if (message.equals("begin")) {
                    context.timers().once("later", Duration.ofHours(2), "over");
                } else {
                    probe.actor().sendMessage(message);
                }
            });
            late.sendMessage("begin");
            probe.expectNothing(Duration.ofHours(1));
            assertThat(time.nanoTime()).isEqualTo(Duration.ofHours(1).toNanos());
            assertThatThrownBy(() -> probe.expect("over", Duration.ofMinutes(30)))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("by the clock that the test moves");
            probe.expect("over", Duration.ofHours(1));
            assertThat(time.nanoTime()).isEqualTo(Duration.ofHours(2).toNanos());
        }
    }

    @Promise("53.3")
    @Test
    void aClockThatCannotBeMovedFailsTheAssertion() {
        var time = new ManualTime();
        try (var scope = ActorSystem.configure("test").time(time).open()) {
            Probe<String, Void> probe = Probe.in(scope);
            probe.actor().sendMessage("before");
            var failure = new IllegalStateException("planned");
            for (int i = 0; i < 2; i++) {
                time.schedule(1, () -> {
                    throw failure;
                });
            }
            probe.expect("before");
            assertThatThrownBy(() -> probe.expect("after")).isInstanceOf(AssertionError.class)
                    .hasCause(failure)
                    .hasMessageContainingAll("failed while the test waited for after", "planned",
                            "all that came so far:\n    before", "scope 'test'");
            assertThatThrownBy(() -> probe.expectNothing(SHORT)).isInstanceOf(AssertionError.class)
                    .hasCause(failure)
                    .hasMessageContaining("failed while the test waited for nothing to come");
        }
    }

    @Promise("53.3")
    @Test
    void anActorThatStandsWhenTheTimeIsOverMayGoOn() throws Exception {
        var time = new ManualTime();
        try (var scope = ActorSystem.configure("test").time(time).open(); var recorder = Recorder.of(scope)) {
            var failing = scope.anonymous().<String>newActor(message -> {
                throw new IllegalStateException("first");
            });
            assertThat(Waits.failure(failing.sendMessageReturn("m"))).hasMessage("first");
            var goOn = new CountDownLatch(1);
            scope.anonymous().<String>newActor(message -> {
                Waits.on(goOn);
                throw new IllegalStateException("second");
            }).sendMessage("m");
            var looks = new int[1];
            recorder.expect(Failed.class, failed -> {
                // At the last look when the clock shows the limit: before that it waits for actors that go on.
                if (time.nanoTime() == SHORT.toNanos() && ++looks[0] == 2) {
                    goOn.countDown();
                }
                return failed.cause().getMessage().equals("second");
            }, SHORT);
        }
    }

    @Promise("53.3")
    @Test
    void aLimitMayBeLongerThanTheClockGoes() {
        for (var moved : List.of(Duration.ZERO, Duration.ofHours(1))) {
            var time = new ManualTime();
            time.advance(moved);
            try (var scope = ActorSystem.configure("test").time(time).open()) {
                Probe<String, Void> probe = Probe.in(scope);
                scope.schedule(Schedule.once(Duration.ofHours(1)), () -> probe.actor().sendMessage("over"));
                probe.expect("over", Duration.ofSeconds(Long.MAX_VALUE));
                probe.expectNothing(Duration.ofSeconds(Long.MAX_VALUE));
            }
            assertThat(time.nanoTime()).isEqualTo(Long.MAX_VALUE);
        }
    }

    @Promise("53.3")
    @Test
    void anInterruptEndsAWait() throws Exception {
        try (var scope = ActorSystem.open("test")) {
            Probe<String, Void> probe = Probe.in(scope);
            var failed = new CompletableFuture<Throwable>();
            var thread = Thread.ofPlatform().start(() -> {
                try {
                    probe.expect("never", Duration.ofDays(1));
                } catch (AssertionError e) {
                    failed.complete(
                            Thread.currentThread().isInterrupted() ? e : new IllegalStateException(e));
                }
            });
            Waits.parked(thread);
            thread.interrupt();
            assertThat(Waits.on(failed)).isInstanceOf(AssertionError.class)
                    .hasMessageContaining("interrupted while the test waited for never");
            Waits.on(thread);
        }
    }

    @Promise("53.3")
    @Test
    void aLimitIsMoreThanZero() {
        try (var scope = ActorSystem.open("test")) {
            Probe<String, Void> probe = Probe.in(scope);
            for (var wrong : List.of(Duration.ZERO, Duration.ofMillis(-1))) {
                assertThatIllegalArgumentException().isThrownBy(() -> probe.expect("x", wrong))
                        .withMessageContaining("within must be more than zero: " + wrong);
                assertThatIllegalArgumentException().isThrownBy(() -> probe.expectNothing(wrong));
                assertThatIllegalArgumentException().isThrownBy(() -> probe.fish(String.class, wrong));
            }
        }
    }

    @Promise("53.3")
    @Test
    void aMessageWithoutATextSpoilsNoFailure() {
        try (var scope = ActorSystem.open("test")) {
            Probe<Object, Void> probe = Probe.in(scope);
            probe.actor().sendMessage(new Object() {
                @Override
                public String toString() {
                    throw new LinkageError("planned");
                }
            });
            assertThatThrownBy(() -> probe.expect("x")).isInstanceOf(AssertionError.class)
                    .hasMessageContaining("whose toString() throws java.lang.LinkageError");
            probe.actor().sendMessage(new Object() {
                @Override
                public @Nullable String toString() {
                    return null;
                }
            });
            assertThatThrownBy(() -> probe.expect("x")).isInstanceOf(AssertionError.class)
                    .hasMessageContaining("but next came: null");
        }
    }

    @Promise("53.3")
    @Test
    void messagesThatReadTheSameAreToldApart() {
        try (var scope = ActorSystem.open("test")) {
            Probe<Object, Void> probe = Probe.in(scope);
            probe.actor().sendMessage(1);
            assertThatThrownBy(() -> probe.expect(1L)).isInstanceOf(AssertionError.class)
                    .hasMessageContaining("expected was a java.lang.Long, and a java.lang.Integer came");
            probe.actor().sendMessage(1L);
            assertThatThrownBy(() -> probe.expectInAnyOrder(List.of("x", 1)))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("expected was a java.lang.Integer, and a java.lang.Long came");
        }
    }
}
