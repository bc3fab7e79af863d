package io.fibry.internal.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.ContextCarrier;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.event.Failed;
import io.fibry.internal.scope.Builder;
import io.fibry.internal.scope.Shifts;
import io.fibry.net.HttpOptions;
import io.fibry.testing.Patience;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** Who serves which request. The fibers are run by the test, when it wants them to arrive. */
class HttpClerksTest {
    private static final ThreadLocal<String> USER = new ThreadLocal<>();

    private final ActorScope scope = ActorSystem.configure("clerks").carry(ContextCarrier.of(USER)).open();
    private final ManualTime time = new ManualTime();
    private final ActorBuilder fibers = scope.anonymous().strategy(CreationStrategy.fibers());
    private final HttpTraffic traffic =
            new HttpTraffic(fibers, time, HttpOptions.localPort(0).writeLimit(Duration.ofSeconds(1)));
    private final Shifts shifts = new Shifts(Builder.of(fibers.onFailure(FailurePolicy.stop())));
    private final HttpWorks works = new HttpWorks();
    private final Queue<Runnable> started = new ArrayDeque<>();
    private final List<String> served = new CopyOnWriteArrayList<>();
    private HttpClerks clerks = clerks(started::add);

    private HttpClerks clerks(Executor starter) {
        return new HttpClerks(traffic, works, shifts, time, starter, 1);
    }

    @AfterEach
    void close() {
        scope.close();
        assertThat(works.all()).isEmpty();
    }

    private void bring(String... names) {
        for (var name : names) {
            clerks.execute(() -> served.add(name));
        }
    }

    /** The next fiber arrives, and does what it can. */
    private void arrive() {
        started.remove().run();
    }

    @Test
    void oneFiberServesAllThatWait() {
        bring("first", "second", "third");
        assertThat(started).as("one is on its way for all").hasSize(1);
        arrive();
        assertThat(served).containsExactly("first", "second", "third");
        arrive();
        assertThat(served).hasSize(3);
        assertThat(started).as("nothing is left to send for").isEmpty();
    }

    @Test
    void whoIsBlockedHoldsNobodyUp() throws Exception {
        var blocked = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        clerks.execute(() -> {
            blocked.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        bring("other");
        var fiber = Thread.ofVirtual().start(started.remove());
        blocked.await();
        arrive();
        assertThat(served).containsExactly("other");
        goOn.countDown();
        fiber.join();
    }

    @Test
    void aFiberIsSentForWhenTheLastOneHasArrived() {
        bring("first");
        arrive();
        bring("second");
        arrive();
        assertThat(served).containsExactly("first", "second");
    }

    @Test
    void aShiftEndsInTimeAndSomebodyElseGoesOn() {
        clerks.execute(() -> time.advance(Duration.ofMillis(1)));
        bring("late");
        arrive();
        assertThat(served).isEmpty();
        arrive();
        assertThat(served).containsExactly("late");
    }

    @Test
    void aRequestForWhichThereIsNoFiberIsRefused() {
        clerks = clerks(fiber -> {
            throw new OutOfMemoryError("no thread");
        });
        assertThatThrownBy(() -> bring("first")).isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("no fiber could be started");
        clerks.sendHelp();
        assertThat(served).isEmpty();
    }

    @Test
    void whoCountedOnAFiberThatNeverCameWaitsForTheNextOne() {
        var broken = new ArrayList<>(List.of("broken"));
        clerks = clerks(fiber -> {
            if (broken.isEmpty()) {
                started.add(fiber);
            } else {
                bring("second"); // while the fiber for the first is about to be started
                broken.clear();
                throw new OutOfMemoryError("no thread");
            }
        });
        assertThatThrownBy(() -> bring("first")).isInstanceOf(RejectedExecutionException.class);
        assertThat(started).isEmpty();
        clerks.sendHelp();
        arrive();
        assertThat(served).containsExactly("second");
    }

    @Test
    void whoEndsSendsForAnotherOneIfThereWasNoMemoryForThatBefore() {
        var memory = new boolean[]{true};
        clerks = clerks(fiber -> {
            if (!memory[0]) {
                throw new OutOfMemoryError("no thread");
            }
            started.add(fiber);
        });
        clerks.execute(() -> {
            time.advance(Duration.ofMillis(1));
            memory[0] = true;
        });
        bring("late");
        memory[0] = false;
        arrive();
        assertThat(served).as("its shift was over").isEmpty();
        arrive();
        assertThat(served).containsExactly("late");
    }

    @Test
    void aRequestThatFailsTakesNoOtherWithIt() {
        var failures = new CopyOnWriteArrayList<Throwable>();
        scope.listen(event -> {
            if (event instanceof Failed failed) {
                failures.add(failed.cause());
            }
        });
        clerks.execute(() -> {
            throw new AssertionError("broken engine");
        });
        bring("other");
        arrive();
        arrive();
        assertThat(served).containsExactly("other");
        assertThat(failures).singleElement().isInstanceOf(AssertionError.class);
    }

    @Test
    void nothingOfOneRequestIsLeftToTheNext() {
        clerks.execute(() -> {
            MDC.put("user", "first");
            USER.set("first");
            Thread.currentThread().setContextClassLoader(null);
            Thread.currentThread().interrupt();
        });
        clerks.execute(() -> {
            assertThat(MDC.get("user")).isNull();
            assertThat(USER.get()).isNull();
            assertThat(Thread.currentThread().getContextClassLoader()).isNotNull();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            served.add("second");
        });
        arrive();
        assertThat(served).containsExactly("second");
    }

    @Test
    void whatHasBegunIsServedWhileItsScopeWaitsForTheLastMessages() throws Exception {
        var working = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        scope.anonymous().newActor(message -> {
            working.countDown();
            goOn.await();
        }).sendMessage("work");
        working.await();
        bring("late");
        var closing = new FutureTask<>(() -> scope.stop(Patience.LIMIT));
        Thread.ofVirtual().start(closing);
        Patience.spin("the scope being closed", () -> !takesInActors());
        arrive();
        assertThat(served).containsExactly("late");
        assertThat(traffic.isStopping()).isFalse();
        goOn.countDown();
        assertThat(closing.get().stopped()).isTrue();
    }

    private boolean takesInActors() {
        try {
            scope.anonymous().newActor(message -> {
            });
            return true;
        } catch (IllegalStateException closing) {
            return false;
        }
    }

    @Test
    void whoseActorIsToStopTakesNoMore() {
        clerks.execute(() -> scope.stop(Duration.ZERO));
        bring("other");
        arrive();
        assertThat(served).isEmpty();
        assertThat(traffic.isStopping()).isFalse();
        arrive();
        assertThat(served).as("without an actor, to be told that the server is being stopped")
                .containsExactly("other");
        assertThat(traffic.isStopping()).isTrue();
    }

    @Test
    void workThatWasCutIsTheLast() {
        var work = new HttpWork(() -> {
        });
        assertThat(work.cuts(work.piece())).isTrue();
        assertThat(work.cuts(work.piece())).as("once more").isTrue();
        assertThat(work.isCut()).isTrue();
        assertThat(work.goesOn()).isFalse();
    }

    @Test
    void workThatIsDoneIsCutNoMore() {
        var work = new HttpWork(() -> {
        });
        var piece = work.piece();
        assertThat(work.goesOn()).isTrue();
        assertThat(work.cuts(piece)).isFalse();
        assertThat(work.isCut()).isFalse();
        assertThat(work.goesOn()).isTrue();
    }

    @Test
    void whoWritesForWorkThatIsOverIsNotSeen() {
        var work = new HttpWork(() -> {
        });
        var piece = work.piece();
        work.writesSince(3, piece);
        assertThat(work.writingSince()).isEqualTo(3);
        work.writesSince(0, piece);
        assertThat(work.goesOn()).isTrue();
        work.writesSince(4, piece);
        assertThat(work.writingSince()).isZero();
    }
}
