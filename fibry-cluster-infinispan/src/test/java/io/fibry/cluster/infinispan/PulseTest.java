package io.fibry.cluster.infinispan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.Promise;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PulseTest {
    private static final Duration LONGEST = Duration.ofSeconds(4);

    /** The clock stands still, and moves when the test moves it. */
    @Promise("83.20")
    @Test
    void aProcessThatDidNotRunIsToldOnceForHowLong() throws Exception {
        var now = new AtomicLong(Long.MAX_VALUE - 5); // it may overflow
        var read = new LinkedBlockingQueue<Long>();
        var away = new LinkedBlockingQueue<Duration>();
        var pulse = new Pulse("pulse", LONGEST, away::add, () -> {
            read.add(now.get());
            return now.get();
        });
        try {
            assertThat(read.poll(20, TimeUnit.SECONDS)).isNotNull();
            now.addAndGet(LONGEST.toNanos());
            read.clear();
            assertThat(read.poll(20, TimeUnit.SECONDS)).isNotNull();
            assertThat(read.poll(20, TimeUnit.SECONDS)).isNotNull();
            assertThat(away).as("as long as the others wait").isEmpty();
            now.addAndGet(LONGEST.toNanos() + 1);
            assertThat(away.poll(20, TimeUnit.SECONDS)).isEqualTo(LONGEST.plusNanos(1));
            read.clear();
            assertThat(read.poll(20, TimeUnit.SECONDS)).isNotNull();
            assertThat(read.poll(20, TimeUnit.SECONDS)).isNotNull();
            assertThat(away).isEmpty();
        } finally {
            pulse.close();
        }
    }
}
