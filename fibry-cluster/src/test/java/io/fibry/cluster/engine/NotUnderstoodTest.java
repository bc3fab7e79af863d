package io.fibry.cluster.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fibry.testing.Promise;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class NotUnderstoodTest {
    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(NotUnderstood.class);

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    private final NotUnderstood notUnderstood = new NotUnderstood(now::get);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listen() {
        LOGGER.setAdditive(false);
        LOGGER.addAppender(log);
        log.start();
    }

    @AfterEach
    void close() {
        LOGGER.detachAppender(log);
        LOGGER.setAdditive(true);
    }

    private void add(int times) {
        for (int i = 0; i < times; i++) {
            notUnderstood.add("a process {} at " + i);
        }
    }

    @Promise("84.4")
    @Test
    void aFloodIsCountedAndNotWritten() {
        add(NotUnderstood.LINES - 1);
        assertThat(log.list).hasSize(NotUnderstood.LINES - 1)
                .allMatch(line -> line.getLevel() == Level.WARN);
        assertThat(log.list.getLast().getFormattedMessage()).isEqualTo("a process {} at 98");
        now.addAndGet(NotUnderstood.PERIOD_NANOS - 1);
        add(1000);
        assertThat(log.list).hasSize(NotUnderstood.LINES + 1);
        assertThat(log.list.getLast().getFormattedMessage()).contains("left out for a minute");
        now.incrementAndGet();
        add(2);
        assertThat(log.list.subList(NotUnderstood.LINES + 1, log.list.size()))
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("a process {} at 0", "a process {} at 1");
        assertThat(notUnderstood.count()).isEqualTo(NotUnderstood.LINES - 1 + 1000 + 2);
    }
}
