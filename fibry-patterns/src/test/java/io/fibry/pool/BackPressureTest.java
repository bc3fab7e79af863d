package io.fibry.pool;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fibry.ActorSystem;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.Aside;
import io.fibry.testing.Waits;
import io.fibry.topic.Topic;
import io.fibry.topic.TopicOptions;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A full mailbox is no warning where its senders are to wait. */
class BackPressureTest {
    private static final int MESSAGES = 20;
    private static final int CAPACITY = 4;

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.fibry");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicInteger sent = new AtomicInteger();

    private interface Sender {
        void send(int message);
    }

    @Test
    void fullPoolsAndTopicsLogNothing() throws Exception {
        lines.start();
        logger.addAppender(lines);
        try (var scope = ActorSystem.configure("test").open()) {
            try (var pool = WorkerPool.open(scope, "pool",
                    PoolOptions.<Integer>fixed(1, CAPACITY).withOverflow(OverflowPolicy.block()),
                    this::handle)) {
                fill(pool::sendMessage);
            }
            var options = TopicOptions.defaults()
                    .withMailbox(MailboxPolicy.bounded(CAPACITY, OverflowPolicy.block()));
            try (var topic = Topic.<Integer>open(scope, "topic", options)) {
                topic.subscribe(this::handle);
                fill(topic::publish);
            }
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list).extracting(ILoggingEvent::getFormattedMessage).isEmpty();
    }

    private void handle(int message) throws Exception {
        Waits.on(release);
    }

    private void fill(Sender sender) throws Exception {
        var gate = release.getCount() > 0;
        var sending = Aside.run(() -> {
            for (int n = 0; n < MESSAGES; n++) {
                sender.send(n);
                sent.incrementAndGet();
            }
            return sent;
        });
        if (gate) {
            Waits.until("the mailbox is full", () -> sent.get() > CAPACITY);
            release.countDown();
        }
        Waits.on(sending);
    }
}
