package io.fibry.internal.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The probe, whose virtual threads run when the test lets them. */
final class CarrierProbeTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long LIMIT = 4 * SECOND;

    private final List<Runnable> started = new ArrayList<>();
    private final CarrierProbe probe = new CarrierProbe("watched", started::add);

    /** Looks at this second, and returns how long the probe is said to have waited; null if nothing is reported. */
    private @Nullable Duration look(int second) {
        var event = probe.look(List.of(), second * SECOND, LIMIT);
        return event == null ? null : event.waitedFor();
    }

    @Promise("26.3")
    @Test
    void aVirtualThreadThatDoesNotGetToRunIsReportedTwice() {
        for (int second = 0; second < 40; second++) {
            var reported = look(second);
            switch (second) {
                case 4, 8 -> assertThat(reported).isEqualTo(Duration.ofSeconds(second));
                default -> assertThat(reported).as("second %d", second).isNull();
            }
        }
        assertThat(started).as("one probe, since it has not run").hasSize(1);
    }

    @Promise("26.3")
    @Test
    void nothingIsReportedOnceVirtualThreadsRunAgain() {
        for (int second = 0; second <= 4; second++) {
            look(second);
        }
        for (int second = 5; second < 40; second++) {
            started.removeFirst().run();
            assertThat(look(second)).as("second %d", second).isNull();
            assertThat(started).as("the next look starts the next probe").hasSize(1);
        }
    }

    @Promise("26.3")
    @Test
    void eachProbeIsReportedAnew() {
        for (int second = 0; second <= 8; second++) {
            look(second);
        }
        started.removeFirst().run();
        for (int second = 9; second < 13; second++) {
            assertThat(look(second)).as("second %d", second).isNull();
        }
        assertThat(look(13)).isEqualTo(Duration.ofSeconds(4));
    }
}
