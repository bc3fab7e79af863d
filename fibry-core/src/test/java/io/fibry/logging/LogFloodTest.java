package io.fibry.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.testing.BugClass;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

@BugClass(25)
class LogFloodTest {
    private static final int MESSAGES = 200_000;
    private static final int LINES_A_SECOND = 20;

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.fibry");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
        logger.setAdditive(false);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(lines);
        logger.setAdditive(true);
    }

    @Test
    void aFloodOfLostMessagesIsNoFloodOfLogLines() {
        try (var scope = ActorSystem.open("flooded")) {
            assertFewLines(scope);
        }
    }

    private void assertFewLines(ActorScope scope) {
        var actor = scope.anonymous().newActor((String message) -> {
        });
        actor.close();
        var start = System.nanoTime();
        for (int n = 0; n < MESSAGES; n++) {
            actor.sendMessage("lost");
        }
        var seconds = 1 + (System.nanoTime() - start) / 1_000_000_000;

        // A second that has begun counts, and each has one more line that says how many were left out.
        assertThat(lines.list).hasSizeBetween(1, (int) (seconds + 1) * (LINES_A_SECOND + 1));
        assertThat(lines.list).filteredOn(line -> line.getFormattedMessage().contains("did not get"))
                .isNotEmpty().allSatisfy(line -> assertThat(line.getFormattedMessage())
                        .contains(actor.name(), "java.lang.String", "STOPPED"));
    }
}
