package io.fibry.internal.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.internal.clock.SystemTime;
import io.fibry.testing.Patience;
import io.fibry.testing.Waits;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads that wait for a gate. If there is a limit, a platform thread parks with it, and any other sets an alarm. */
class GateTest {
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    private final Gate gate = new Gate();

    private record Waiting<T>(Thread thread, FutureTask<T> result) {
        static <T> Waiting<T> on(boolean virtual, Callable<T> wait) {
            var task = new FutureTask<>(wait);
            var thread = virtual ? Thread.ofVirtual().start(task) : Thread.ofPlatform().start(task);
            return new Waiting<>(thread, task);
        }

        void untilParked() {
            Patience.spin("the thread is parked", () -> switch (thread.getState()) {
                case WAITING, TIMED_WAITING -> true;
                default -> false;
            });
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aThreadGoesOnWhenTheGateOpens(boolean virtual) throws Exception {
        var waiting = Waiting.on(virtual, () -> gate.await(SystemTime.INSTANCE, HOUR));
        waiting.untilParked();
        gate.open();
        assertThat(Waits.on(waiting.result)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aThreadThatWaitsForTheFinishIsNotReleasedByTheOpening(boolean virtual) throws Exception {
        var waiting = Waiting.on(virtual, () -> gate.awaitFinish(SystemTime.INSTANCE, HOUR));
        waiting.untilParked();
        gate.open();
        waiting.untilParked();
        assertThat(waiting.result.isDone()).isFalse();
        gate.finish();
        assertThat(Waits.on(waiting.result)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theLimitEndsAWaitAndNeverEarly(boolean virtual) throws Exception {
        var nanos = TimeUnit.MILLISECONDS.toNanos(30);
        var waiting = Waiting.on(virtual, () -> {
            var begin = System.nanoTime();
            LockSupport.unpark(Thread.currentThread()); // the first park returns at once, for no reason
            return gate.await(SystemTime.INSTANCE, nanos) ? -1 : System.nanoTime() - begin;
        });
        assertThat(Waits.on(waiting.result)).isGreaterThanOrEqualTo(nanos);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWaitWithoutALimitLasts(boolean virtual) throws Exception {
        var waiting = Waiting.on(virtual, () -> gate.await(SystemTime.INSTANCE, Long.MAX_VALUE));
        waiting.untilParked();
        LockSupport.unpark(waiting.thread);
        Waits.parked(waiting.thread);
        assertThat(waiting.result.isDone()).isFalse();
        gate.open();
        assertThat(Waits.on(waiting.result)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anInterruptEndsAWait(boolean virtual) {
        var waiting = Waiting.on(virtual, () -> gate.await(SystemTime.INSTANCE, HOUR));
        waiting.untilParked();
        waiting.thread.interrupt();
        assertThatThrownBy(() -> Waits.on(waiting.result)).hasCauseInstanceOf(InterruptedException.class);
    }

    /** A program that stops an actor and ends has no thread for timers because of that. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void onlyAVirtualThreadSetsAnAlarm(boolean virtual) throws Exception {
        var before = SystemTime.INSTANCE.pending();
        var waiting = Waiting.on(virtual, () -> gate.await(SystemTime.INSTANCE, HOUR));
        waiting.untilParked();
        assertThat(SystemTime.INSTANCE.pending() - before).isEqualTo(virtual ? 1 : 0);
        gate.open();
        assertThat(Waits.on(waiting.result)).isTrue();
        assertThat(SystemTime.INSTANCE.pending()).isEqualTo(before);
    }
}
