package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.OverflowPolicy;
import io.fibry.ScopeBuilder;
import io.fibry.ScopeLimits;
import io.fibry.durable.DurableQueue.Receipt.State;
import io.fibry.event.Undelivered;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What becomes of work while the scope of the queue refuses what its actors are asked. */
class QueueInFullScopeTest {
    private static final Instant START = Instant.parse("2026-03-02T10:00:30Z");
    private static final ScopeLimits ONE = ScopeLimits.none().asks(1);

    private final ManualTime time = new ManualTime(START, Duration.ofSeconds(60));
    private final Recorder recorder = new Recorder();

    private ScopeBuilder scope() {
        return ActorSystem.configure("mails").time(time).listener(recorder);
    }

    @Test
    @Promise("94.1")
    void workThatIsRejectedIsDoneLater() throws Exception {
        limited(ONE);
    }

    @Test
    @Promise("94.1")
    void workThatFailsToBeSentIsDoneLater() throws Exception {
        limited(ONE.overflow(OverflowPolicy.fail()));
    }

    private void limited(ScopeLimits limits) throws Exception {
        var room = new CountDownLatch(1);
        try (var scope = scope().limits(limits).open()) {
            var busy = scope.anonymous().newActorWithReturn((Long number) -> {
                Waits.on(room);
                return number;
            });
            assertDoneLater(scope, () -> busy.sendMessageReturn(1L), room::countDown);
        }
    }

    @Test
    @Promise("94.1")
    void workThatFindsNoThreadIsDoneLater() throws Exception {
        var refuses = new AtomicBoolean();
        CreationStrategy strategy = name -> turn -> {
            if (refuses.get() && name.startsWith("anonymous")) {
                throw new RejectedExecutionException("on purpose");
            }
            Thread.startVirtualThread(turn);
        };
        try (var scope = scope().strategy(strategy).open()) {
            assertDoneLater(scope, () -> refuses.set(true), () -> refuses.set(false));
        }
    }

    private void assertDoneLater(ActorScope scope, Runnable fill, Runnable makeRoom) throws Exception {
        try (var store = DurableStore.inMemory()) {
            var attempt = new AtomicInteger();
            var queue = DurableQueue.of(store, "mails", Long.class);
            var works = queue.start(scope, 1, task -> attempt.set(task.attempt()));
            works.execAndWait(() -> { // it has looked for work
            });
            fill.run();
            queue.handIn(Map.of("one", 1L), START);
            recorder.await(Undelivered.class);
            Waits.until("it is given back until the clock goes on", () -> is(queue, State.WAITING));
            makeRoom.run();
            Waits.until("it is done", () -> {
                time.advance(Duration.ofSeconds(1));
                return is(queue, State.DONE);
            });
            assertThat(attempt).as("no attempt has failed").hasValue(1);
            assertThat(recorder.of(Undelivered.class)).hasSize(1);
            works.close();
        }
    }

    private static boolean is(DurableQueue<?> queue, State state) {
        try {
            return queue.receipt("one").orElseThrow().state() == state;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
