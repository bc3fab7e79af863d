package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.cluster.home.HomeDelivery;
import io.fibry.cluster.stream.Verdict;
import io.fibry.internal.scope.TravellingContext;
import io.fibry.testing.Promise;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A cancellation that comes at each moment of an ask. */
class DeliveredAsksTest {
    private static final UUID FROM = new UUID(1, 1);

    private final List<Input> told = Collections.synchronizedList(new ArrayList<>());
    private final ManualTime time = new ManualTime();
    private final DeliveredAsks asks =
            new DeliveredAsks("group", told::add, node -> new ClusterNode(node, "b", true), time, false);
    private final HomeDelivery delivery =
            new HomeDelivery(FROM, 1, 1, "group", 0, 1, 7, 1_000_000_000L, new byte[0]);
    private final CompletableFuture<String> answer = new CompletableFuture<>();

    private void take() {
        asks.take(delivery, () -> "handler", answer, value -> new AnswerBody.Nothing());
    }

    private List<Class<?>> toldOf() {
        return told.stream().<Class<?>>map(Object::getClass).toList();
    }

    @Promise("80.4")
    @Test
    void anAskThatIsCancelledBeforeItIsGivenIsNotGiven() {
        var group = ClusterGroup.of("group", String.class, String.class, String.class, text -> text);
        var codec = new GroupCodec<>(group);
        var handled = new AtomicInteger();
        try (var scope = ActorSystem.open("node")) {
            var actor = scope.anonymous().strategy(CreationStrategy.caller())
                    .newActorWithReturn((String text) -> "" + handled.incrementAndGet());
            var reader = new LetterReader<>(codec, new LetterContext(TravellingContext.of(scope)), asks);
            var letter = new LetterReader.Read<>(LetterBody.Want.ANSWER, Map.of(), "", "text");
            asks.come(delivery);
            asks.cancelled(FROM, 7);
            reader.give(delivery, letter, "text", actor, () -> "handler", () -> Verdict.FULL);
        }
        assertThat(handled).hasValue(0);
        assertThat(told).containsExactly(new Input.Settled(delivery, Verdict.TAKEN));
        assertThat(asks.areAnswered()).isTrue();
    }

    @Test
    void anAskThatIsCancelledWhileItIsGivenIsCancelled() {
        asks.come(delivery);
        asks.cancelled(FROM, 7);
        take();
        assertThat(answer).isCancelled();
        assertThat(told).containsExactly(new Input.Settled(delivery, Verdict.TAKEN));
        assertThat(asks.areAnswered()).isTrue();
    }

    @Test
    void anAskThatIsCancelledAfterItWasGivenIsCancelled() {
        asks.come(delivery);
        take();
        assertThat(asks.areAnswered()).isFalse();
        asks.cancelled(FROM, 7);
        assertThat(answer).isCancelled();
        assertThat(toldOf()).containsExactly(Input.Settled.class);
        assertThat(asks.areAnswered()).isTrue();
    }

    @Test
    void anAnswerIsToldOnceAndACancellationAfterItDoesNothing() {
        asks.come(delivery);
        take();
        answer.complete("yes");
        asks.cancelled(FROM, 7);
        assertThat(toldOf()).containsExactly(Input.Settled.class, Input.Answered.class);
        assertThat(asks.areAnswered()).isTrue();
    }

    @Promise("80.16")
    @Test
    void anAnswerThatCannotBeMadeIsAFailureAndOpenNoMore() {
        asks.come(delivery);
        asks.take(delivery, () -> "handler", answer, value -> {
            throw new StackOverflowError();
        });
        answer.complete("yes");
        soon().until(asks::areAnswered);
        assertThat(toldOf()).containsExactly(Input.Settled.class, Input.Answered.class);
        assertThat(AnswerBody.of(((Input.Answered) told.getLast()).body()))
                .isInstanceOf(AnswerBody.Failure.class);
    }

    @Test
    void whatIsRefusedIsOpenNoMore() {
        asks.come(delivery);
        asks.settle(delivery, Verdict.FULL);
        assertThat(asks.areAnswered()).isTrue();
    }

    /** Before it, the courier may wait for room. */
    @Promise({"80.1", "80.5"})
    @Test
    void theTimeThatAMessageWaitsAtItsHomeIsAPartOfItsTime() {
        var codec = new GroupCodec<>(
                ClusterGroup.of("group", String.class, String.class, String.class, text -> text));
        var left = new ArrayList<Duration>();
        try (var scope = ActorSystem.configure("node").time(time).open()) {
            var actor = scope.anonymous().strategy(CreationStrategy.caller())
                    .<String, String>newActorWithReturn((self, text) -> {
                        left.add(self.timeLeft().orElseThrow());
                        return text;
                    });
            var reader = new LetterReader<>(codec, new LetterContext(TravellingContext.of(scope)), asks);
            asks.come(delivery);
            time.advance(Duration.ofMillis(400));
            reader.give(delivery, new LetterReader.Read<>(LetterBody.Want.ANSWER, Map.of(), "", "text"),
                    "text",
                    actor, () -> "handler", () -> Verdict.FULL);
        }
        assertThat(left).containsExactly(Duration.ofMillis(600));
    }

    @Promise("80.5")
    @Test
    void whatFailsWhenItsTimeIsOverIsLeftToTheClockOfItsSender() {
        asks.come(delivery);
        take();
        time.advance(Duration.ofSeconds(1));
        answer.completeExceptionally(new IllegalStateException("too late"));
        assertThat(toldOf()).containsExactly(Input.Settled.class);
        assertThat(asks.areAnswered()).isTrue();
    }
}
