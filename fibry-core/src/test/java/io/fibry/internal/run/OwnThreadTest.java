package io.fibry.internal.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The thread of an actor that has one of its own. */
class OwnThreadTest {
    private static final long LIMIT = Patience.LIMIT.toNanos();

    @Test
    @Promise("13.1")
    void startsWithTheFirstJobAndEndsWithTheActor() throws Exception {
        var made = new CompletableFuture<Thread>();
        var own = new OwnThread(work -> {
            var thread = OwnThread.unstarted("first", work);
            made.complete(thread);
            return thread;
        });
        var thread = made.join();
        assertThat(thread.getState()).isEqualTo(Thread.State.NEW);
        for (int i = 0; i < 3; i++) {
            var ran = new CompletableFuture<Thread>();
            own.execute(() -> ran.complete(Thread.currentThread()));
            assertThat(ran.get(LIMIT, TimeUnit.NANOSECONDS)).isSameAs(thread);
            Patience.spin("the thread waits", () -> thread.getState() == Thread.State.WAITING);
        }
        own.actorStopped();
        thread.join(Patience.LIMIT);
        assertThat(thread.isAlive()).isFalse();
    }

    @Test
    @Promise("13.1")
    void isNotStartedByTheEndOfAnActorThatHasHadNoJob() {
        var starts = new AtomicInteger();
        var own = new OwnThread(work -> new Thread(work) {
            @Override
            public void start() {
                starts.incrementAndGet();
            }
        });
        own.actorStopped();
        assertThat(starts).hasValue(0);
    }

    /** The job is refused, and the next one tries again. */
    @Test
    @Promise("13.1")
    void thatCannotBeStartedIsStartedForTheNextJob() throws Exception {
        var attempts = new AtomicInteger();
        var own = new OwnThread(work -> new Thread(work) {
            @Override
            public void start() {
                if (attempts.incrementAndGet() == 1) {
                    throw new OutOfMemoryError("unable to create native thread, as this test wants it");
                }
                super.start();
            }
        });
        assertThatThrownBy(() -> own.execute(() -> {
        })).isInstanceOf(OutOfMemoryError.class);
        var ran = new CompletableFuture<Boolean>();
        own.execute(() -> ran.complete(true));
        assertThat(ran.get(LIMIT, TimeUnit.NANOSECONDS)).isTrue();
        own.actorStopped();
        assertThat(attempts).hasValue(2);
    }
}
