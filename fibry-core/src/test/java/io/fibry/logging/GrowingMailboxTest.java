package io.fibry.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fibry.Actor;
import io.fibry.ActorSystem;
import io.fibry.ReceivingContext;
import io.fibry.event.HighWater;
import io.fibry.testing.Child;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

@SuppressWarnings("try") // a gate is only held
class GrowingMailboxTest {
    /** The engine looks at every 256th message. */
    private static final int LATE = 300;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Recorder recorder = new Recorder();

    private static void send(Actor<String, ?> actor, int count) {
        for (int n = 0; n < count; n++) {
            actor.sendMessage("x");
        }
    }

    private void assertTold(int... numbers) {
        var told = recorder.of(HighWater.class);
        assertThat(told).hasSize(numbers.length);
        for (int i = 0; i < numbers.length; i++) {
            assertThat(told.get(i).actor()).isEqualTo("slow");
            assertThat(told.get(i).depth()).isBetween(numbers[i], numbers[i] + LATE);
            assertThat(told.get(i).message()).contains(String.class);
        }
    }

    @Promise("29.5")
    @EveryStrategy
    void aBlockedActorThatIsFloodedIsToldOf(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.named("slow").newActor((String message) -> {
            });
            try (var gate = Gate.in(actor)) {
                send(actor, 1_100_000);
                assertTold(10_000, 100_000, 1_000_000);
                assertThat(recorder.of(HighWater.class)).allSatisfy(event -> assertThat(event.stack())
                        .anyMatch(frame -> frame.getClassName().startsWith(Gate.class.getName())));
                actor.askExit();
            }
        }
    }

    @Promise("29.5")
    @Test
    void threeMillionsFromFourSendersAreToldOfOnceEach() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS, recorder)) {
            var actor = scope.named("slow").newActor((String message) -> {
            });
            try (var gate = Gate.in(actor)) {
                Senders.run(4, sender -> send(actor, 750_000));
                assertThat(recorder.of(HighWater.class)).hasSizeBetween(1, 3)
                        .anySatisfy(event -> assertThat(event.depth()).isGreaterThanOrEqualTo(1_000_000));
                assertThat(recorder.of(HighWater.class))
                        .extracting(event -> String.valueOf(event.depth()).length())
                        .doesNotHaveDuplicates(); // a sender that is held up may tell of two numbers at once
                actor.askExit();
            }
        }
    }

    @Promise("29.5")
    @Test
    void theAgeOfTheFirstIsAtLeastWhatIsSaid() throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(Strategy.FIBERS, recorder, time)) {
            var actor = scope.named("slow").newActor((String message) -> {
            });
            try (var gate = Gate.in(actor)) {
                send(actor, 2_000);
                time.advance(SECOND);
                send(actor, 9_000);
                assertTold(10_000);
                assertThat(recorder.only(HighWater.class).headAge()).contains(SECOND);
                actor.askExit();
            }
        }
    }

    @Promise("29.5")
    @Test
    void itIsToldAgainWhenItHasFallenAndSomeTimeIsOver() throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(Strategy.FIBERS, recorder, time)) {
            var actor = scope.named("slow").newActor((String message) -> {
            });
            for (int round = 0; round < 3; round++) {
                try (var gate = Gate.in(actor)) {
                    send(actor, 11_000);
                    assertThat(recorder.of(HighWater.class)).hasSize(round < 2 ? 1 : 2);
                }
                actor.execAndWait(() -> {
                });
                try (var gate = Gate.in(actor)) {
                    send(actor, 1_500); // somebody sees that it has fallen
                }
                actor.execAndWait(() -> {
                });
                if (round == 1) {
                    time.advance(Duration.ofMinutes(1));
                }
            }
        }
    }

    @Promise("29.5")
    @Test
    void whatAReceivePassesOverCountsToo() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS, recorder)) {
            var got = new CountDownLatch(1);
            var actor = scope.named("slow").newReceivingActor((ReceivingContext<String> inbox) -> {
                inbox.receive("wanted"::equals);
                got.countDown();
                inbox.askExit();
            });
            for (int n = 0; n < 11_000; n++) {
                actor.sendMessage("x");
                if (n % 100 == 0) {
                    Thread.yield();
                }
            }
            recorder.await(HighWater.class);
            actor.sendMessage("wanted");
            Waits.on(got);
            assertThat(recorder.only(HighWater.class).depth()).isBetween(10_000, 10_000 + LATE);
        }
    }

    @Promise("29.5")
    @Test
    void withoutAListenerItIsOneLine() throws Exception {
        var logger = (Logger) LoggerFactory.getLogger("io.fibry");
        var lines = new ListAppender<ILoggingEvent>();
        lines.start();
        logger.addAppender(lines);
        logger.setAdditive(false);
        try (var scope = ActorSystem.open("test")) {
            var actor = scope.named("slow").newActor((String message) -> {
            });
            try (var gate = Gate.in(actor)) {
                send(actor, 11_000);
                actor.askExit();
            }
        } finally {
            logger.detachAppender(lines);
            logger.setAdditive(true);
        }
        assertThat(lines.list).extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(line -> line.contains("messages waiting")).singleElement().asString()
                .contains("actor 'slow' has about 10", "the last of java.lang.String", "for at least",
                        "at io.fibry.testing.Gate");
    }

    @Promise("29.6")
    @Test
    void theRootScopeIsConfiguredBeforeItIsUsed() throws Exception {
        assertThat(Child.run(RootChild.class, List.of())).contains(
                "refused: closeAtShutdown is for other scopes",
                "heard HighWater of root's", "full: false", "heard Stuck of root's", "child full: false",
                "limits: refused",
                "too late: true", "RootChild.main", "the end");
    }
}
