package io.fibry.internal.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.net.HttpOptions;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which requests are handled, and who waits for them. The test's thread is one that an engine has handed a request to. */
class HttpTrafficTest {
    private static final long LONG = Duration.ofMinutes(1).toNanos();

    private final ActorScope scope = ActorSystem.open("traffic");
    private final ManualTime time = new ManualTime();

    @AfterEach
    void close() {
        scope.close();
    }

    private HttpTraffic traffic(int most) {
        return new HttpTraffic(scope.anonymous().strategy(CreationStrategy.fibers()), time,
                HttpOptions.localPort(0).requests(most).writeLimit(Duration.ofSeconds(1)));
    }

    private static FutureTask<Boolean> draining(HttpTraffic traffic) throws InterruptedException {
        var draining = new FutureTask<>(() -> traffic.drain(LONG));
        var thread = Thread.ofVirtual().start(draining);
        while (!traffic.isStopping() || thread.getState() == Thread.State.RUNNABLE) {
            Thread.onSpinWait();
        }
        return draining;
    }

    @Test
    void aRequestOnAForeignThreadIsCountedAndWaitedFor() throws Exception {
        var traffic = traffic(Integer.MAX_VALUE);
        var work = traffic.work();
        assertThat(traffic.begin(work)).isTrue();
        assertThat(traffic.isInside()).isTrue();
        assertThat(traffic.size()).isEqualTo(1);
        var draining = draining(traffic);
        assertThat(draining.isDone()).isFalse();
        traffic.end(work);
        assertThat(draining.get()).isTrue();
        assertThat(traffic.isInside()).isFalse();
        assertThat(traffic.size()).isZero();
    }

    @Test
    void whoIsRefusedIsNotWaitedFor() throws Exception {
        var traffic = traffic(Integer.MAX_VALUE);
        traffic.refuse();
        assertThat(traffic.begin(traffic.work())).isFalse();
        assertThat(traffic.size()).isZero();
        assertThat(traffic.drain(LONG)).isTrue();
    }

    @Test
    void noMoreThanAllowedAreHandled() throws Exception {
        var traffic = traffic(1);
        var first = traffic.work();
        assertThat(traffic.begin(first)).isTrue();
        var second = new FutureTask<>(() -> traffic.begin(traffic.work()));
        Thread.ofVirtual().start(second);
        assertThat(second.get()).isFalse();
        assertThat(traffic.isInside()).as("the first is still handled").isTrue();
        traffic.end(first);
        var third = traffic.work();
        assertThat(traffic.begin(third)).isTrue();
        traffic.end(third);
        assertThat(traffic.size()).isZero();
    }

    @Test
    void drainingEndsAtItsDeadline() throws Exception {
        var traffic = traffic(Integer.MAX_VALUE);
        var work = traffic.work();
        assertThat(traffic.begin(work)).isTrue();
        var draining = draining(traffic);
        time.advance(Duration.ofNanos(LONG));
        assertThat(draining.get()).isFalse();
        traffic.end(work);
    }

    /** Fibers that are started when the test wants, or cannot be. */
    private final class Fibers implements Executor {
        final Queue<Runnable> started = new ArrayDeque<>();
        final HttpTraffic traffic =
                new HttpTraffic(scope.anonymous(), time,
                        HttpOptions.localPort(0).writeLimit(Duration.ofSeconds(1)), this);
        boolean broken = true;
        Runnable whileOneStarts = () -> {
        };

        @Override
        public void execute(Runnable fiber) {
            if (broken) {
                whileOneStarts.run();
                throw new OutOfMemoryError("no thread");
            }
            started.add(fiber);
        }
    }

    @Test
    void aSweepSendsForAFiberThatCouldNotBeHadBefore() {
        var fibers = new Fibers();
        var served = new ArrayList<String>();
        fibers.whileOneStarts = () -> {
            try {
                fibers.traffic.execute(() -> served.add("who counted on all that never came"));
            } catch (RejectedExecutionException refused) {
                return; // it has had a fiber of its own, which never came
            }
        };
        assertThatThrownBy(() -> fibers.traffic.execute(() -> served.add("first")))
                .isInstanceOf(RejectedExecutionException.class);
        fibers.broken = false;
        fibers.traffic.startSweeping();
        time.advance(Duration.ofSeconds(1));
        fibers.traffic.stopSweeping();
        fibers.started.remove().run();
        assertThat(served).containsExactly("who counted on all that never came");
    }

    @Test
    void aSweepThatFailsIsNotTheLast() {
        var fibers = new Fibers();
        var cut = new AtomicInteger();
        fibers.traffic.run(() -> {
            var work = fibers.traffic.work();
            work.writesSince(fibers.traffic.tick(), work.piece());
            fibers.traffic.startSweeping();
            assertThatThrownBy(() -> time.advance(Duration.ofSeconds(2)))
                    .isInstanceOf(OutOfMemoryError.class);
            assertThat(cut).hasValue(0);
            fibers.broken = false;
            time.advance(Duration.ofSeconds(1));
            fibers.traffic.stopSweeping();
            fibers.started.forEach(Runnable::run);
            assertThat(cut.get()).isPositive();
        }, cut::incrementAndGet);
    }
}
