package io.fibry.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
import io.fibry.AskCycleException;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What topics and observables say when something is wrong: in their own words, and with a remedy. */
class TopicTextsTest {
    private static final Duration SHORT = Duration.ofMillis(20);

    @Promise("42.6")
    @Test
    void aConditionThatDoesNotHoldInTimeNamesTheState() {
        try (var scope = ActorSystem.open("texts")) {
            var value = ObservableValue.open(scope, "level", 7);
            assertThatThrownBy(() -> value.await(n -> n > 10, SHORT)).isInstanceOf(TimeoutException.class)
                    .hasNoCause().hasMessage(
                            "the condition of 'level' has not held within PT0.02S, or the time of the handler that waits: its value is 7; allow more time, or check the condition");
        }
    }

    @Promise("42.6")
    @Test
    void aLongOrUnreadableValueIsShownShortly() {
        var unreadable = new Object() {
            @Override
            public String toString() {
                throw new IllegalStateException("as the test wants it");
            }
        };
        try (var scope = ActorSystem.open("texts")) {
            var text = ObservableValue.open(scope, "text", "x".repeat(1_000));
            assertThatThrownBy(() -> text.await(String::isEmpty, SHORT))
                    .hasMessageContaining(": its value is " + "x".repeat(200) + "…;");
            var strange =
                    ObservableValue.open(scope, "strange", (Object) unreadable);
            assertThatThrownBy(() -> strange.await(any -> false, SHORT))
                    .hasMessageContaining("its value is an object of " + unreadable.getClass().getName());
        }
    }

    @Promise("42.6")
    @Test
    void aConditionThatIsWaitedForWhenAllIsClosedFailsWithThat() throws Exception {
        try (var scope = ActorSystem.open("texts")) {
            var value = ObservableValue.open(scope, "level", 7);
            var never = value.when(n -> n > 10);
            value.close();
            assertThat(Waits.failure(never)).isInstanceOf(ActorStoppedException.class)
                    .hasMessage("'level' is closed, and its condition does not hold");
        }
    }

    @Promise("42.6")
    @Test
    void aCloseThatComesWhileAWaitBeginsEndsIt() throws Exception {
        try (var scope = ActorSystem.open("texts")) {
            var value = ObservableValue.open(scope, "level", 7);
            var begins = Thread.currentThread();
            var isFirst = new AtomicBoolean(true);
            TopicMarks.hook(() -> {
                if (Thread.currentThread() == begins && isFirst.getAndSet(false)) {
                    value.close();
                }
            });
            try {
                assertThat(Waits.failure(value.when(n -> n > 10)))
                        .hasMessage("'level' is closed, and its condition does not hold");
            } finally {
                TopicMarks.hook(() -> {
                });
            }
            assertThat(isFirst).as("it was closed in between").isFalse();
        }
    }

    @Promise("42.6")
    @Test
    void aTimeLimitThatIsNotPositiveIsRefusedByOneText() {
        try (var scope = ActorSystem.open("texts")) {
            var value = ObservableValue.open(scope, "level", 7);
            assertThatThrownBy(() -> value.await(n -> n > 10, Duration.ZERO))
                    .hasMessage("timeout must be more than zero: PT0S");
            assertThatThrownBy(() -> value.await(n -> n > 10, Duration.ofMillis(-1)))
                    .hasMessage("timeout must be more than zero: PT-0.001S");
        }
    }

    @Promise("41.10")
    @ParameterizedTest
    @EnumSource
    void aHandlerThatWaitsForItselfIsToldToPublish(Delivery delivery) throws Exception {
        try (var scope = ActorSystem.open("texts")) {
            var topic = Topic.<Integer>open(scope, "news",
                    delivery.options());
            var thrown = new CompletableFuture<Throwable>();
            topic.subscribe(n -> {
                try {
                    if (n == 1) {
                        topic.publishAndWait(2);
                    }
                } catch (AskCycleException e) {
                    thrown.complete(e);
                }
            });
            topic.publish(1);
            assertThat(Waits.on(thrown)).hasMessageContaining("'news")
                    .hasMessageEndingWith("use publish instead of waiting");
        }
    }
}
