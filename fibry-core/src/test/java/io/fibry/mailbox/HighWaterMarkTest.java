package io.fibry.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.HighWater;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import java.time.Duration;
import java.util.List;
import org.slf4j.LoggerFactory;

class HighWaterMarkTest {
    @Promise("4.8")
    @EveryStrategy
    void theHighWaterMarkIsToldOnceUntilTheMailboxIsHalfEmpty(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.named("deep")
                    .mailbox(MailboxPolicy.bounded(10, OverflowPolicy.reject()).highWater(6))
                    .newActor((Integer n) -> {
                    });
            try (var gate = Gate.in(actor)) {
                for (int i = 0; i < 5; i++) {
                    actor.sendMessage(i);
                }
                assertThat(recorder.of(HighWater.class)).isEmpty();
                for (int i = 5; i < 12; i++) {
                    actor.sendMessage(i);
                }
                assertThat(recorder.only(HighWater.class))
                        .hasToString("HighWater[actor=deep, depth=6, capacity=10]");
                gate.open();
            }
            Patience.spin("all are taken", () -> actor.mailboxSize() == 0);
            try (var gate = Gate.in(actor)) {
                for (int i = 0; i < 6; i++) {
                    actor.sendMessage(i);
                }
                assertThat(recorder.of(HighWater.class)).hasSize(2);
                gate.open();
            }
        }
    }

    @Promise("4.8")
    @EveryStrategy
    void aDepthThatGoesUpAndDownAboveTheHalfIsToldOnce(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            Actor<Integer, Void> actor = scope.anonymous()
                    .mailbox(MailboxPolicy.bounded(10, OverflowPolicy.reject()))
                    .newReceivingActor((context, first) -> {
                        for (int i = 0; first == 1 && i < 20; i++) {
                            assertThat(context.self().sendMessage(0)).isTrue(); // 10 wait
                            context.receive(); // 9 wait
                        }
                    });
            try (var gate = Gate.in(actor)) {
                for (int i = 0; i < 10; i++) {
                    actor.sendMessage(i == 0 ? 1 : 0);
                }
                gate.open();
            }
            actor.close();
            assertThat(recorder.of(HighWater.class)).hasSize(1);
        }
    }

    @Promise("4.8")
    @EveryStrategy
    void backPressureIsNoWarning(Strategy strategy) throws Exception {
        try (var scope = ActorSystem.configure("test").strategy(strategy.create()).open()) {
            assertThat(logged(scope, MailboxPolicy.bounded(10, OverflowPolicy.block()), 10)).isEmpty();
            assertThat(
                    logged(scope, MailboxPolicy.bounded(10, OverflowPolicy.block(Duration.ofHours(1))), 10))
                    .isEmpty();
            assertThat(logged(scope, MailboxPolicy.bounded(10, OverflowPolicy.block()).highWater(6), 10))
                    .hasSize(1);
            assertThat(logged(scope, MailboxPolicy.bounded(10, OverflowPolicy.reject()), 10)).hasSize(1);
            assertThat(logged(scope, MailboxPolicy.bounded(10, OverflowPolicy.dropOldest()), 10)).hasSize(1);
        }
    }

    private static List<String> logged(ActorScope scope, MailboxPolicy mailbox, int count) throws Exception {
        var actor = scope.named("full").mailbox(mailbox).newActor((Integer n) -> {
        });
        try (var lines = new LoggedMarks(); var gate = Gate.in(actor)) {
            for (int i = 0; i < count; i++) {
                assertThat(actor.sendMessage(i)).isTrue();
            }
            gate.open();
            actor.close();
            return lines.all();
        }
    }

    /** What the library logs about full mailboxes. */
    private static final class LoggedMarks implements AutoCloseable {
        private final Logger logger = (Logger) LoggerFactory.getLogger("io.fibry");
        private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

        LoggedMarks() {
            lines.start();
            logger.addAppender(lines);
        }

        List<String> all() {
            return List.copyOf(lines.list).stream().map(ILoggingEvent::getFormattedMessage)
                    .filter(line -> line.contains("messages waiting")).toList();
        }

        @Override
        public void close() {
            logger.detachAppender(lines);
        }
    }
}
