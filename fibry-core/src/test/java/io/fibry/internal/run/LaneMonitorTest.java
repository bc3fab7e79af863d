package io.fibry.internal.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fibry.ActorSystem;
import io.fibry.internal.clock.SystemTime;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class LaneMonitorTest {
    private final ManualTime time = new ManualTime();
    private final Lanes lanes = new Lanes(Runnable::run, time, true, YieldingHandoff.INSTANCE, 1);
    private final LaneMonitor monitor = new LaneMonitor(lanes, time);

    @Test
    void sleepsWhenThereIsNothingToSee() {
        assertThat(time.pending()).as("before the first lane").isZero();
        monitor.watch();
        assertThat(time.pending()).isEqualTo(1);
        time.advance(Duration.ofMillis(100));
        assertThat(time.pending()).as("no wake-up is planned").isZero();
    }

    @Test
    void looksForAsLongAsALaneIsThere() {
        var lane = new Lane(lanes, 0);
        lanes.register(lane);
        monitor.watch();
        for (int i = 0; i < 1_000; i++) {
            lane.markProgress();
            time.advance(Duration.ofNanos(400_000));
            assertThat(time.pending()).isEqualTo(1);
        }
        lanes.unregister(lane);
        time.advance(Duration.ofMillis(100));
        assertThat(time.pending()).isZero();
    }

    @Test
    void isWokenByTheNextLane() {
        monitor.watch();
        time.advance(Duration.ofMillis(100));
        var lane = new Lane(lanes, 0);
        lanes.register(lane);
        monitor.watch();
        monitor.watch();
        assertThat(time.pending()).isEqualTo(1);
        time.advance(Duration.ofMillis(100));
        assertThat(lane.place).as("no progress: taken off").isNegative();
        assertThat(time.pending()).isZero();
    }

    /** The system's own: after some work an idle process has neither timers nor a thread of ours. */
    @Test
    void anIdleProcessHasNoWakeUps() throws Exception {
        var done = new CountDownLatch(100);
        var pong = ActorSystem.anonymous().newActor((Integer n) -> done.countDown());
        var ping = ActorSystem.anonymous().newActor((Integer n) -> {
            pong.sendMessage(n);
        });
        for (int i = 0; i < 100; i++) {
            ping.sendMessage(i);
        }
        done.await();
        await().untilAsserted(() -> {
            assertThat(SystemTime.INSTANCE.pending()).isZero();
            assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
                    .noneMatch(name -> name.startsWith("fibry-timer"));
        });
    }
}
