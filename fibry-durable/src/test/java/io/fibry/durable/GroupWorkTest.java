package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import io.fibry.time.Schedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class GroupWorkTest {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    @Test
    void whatWaitsIsDoneAlsoIfTheScopeTakesNoMoreJobs() throws Exception {
        var turns = new LinkedBlockingQueue<Runnable>();
        var scope = ActorSystem.open("test");
        var work =
                new GroupWork<Integer, Integer>(scope, "double", GroupWork.Size.parts(10), LIMIT,
                        CreationStrategy.of(turns::add),
                        true,
                        parts -> parts.stream().map(n -> 2 * n).toList());
        var answer = work.submit(4);
        var turn = turns.take();
        var closing = Thread.ofVirtual().start(scope::close);
        Waits.until("the scope takes no jobs", () -> !takesJobs(scope));
        turn.run();
        assertThat(Waits.on(answer)).isEqualTo(8);
        while (closing.isAlive()) {
            var rest = turns.poll();
            if (rest != null) {
                rest.run();
            }
            Thread.onSpinWait();
        }
        work.end();
        assertThat(Waits.failure(work.submit(5))).hasMessageContaining("closed");
    }

    /** The worker finds the part before its sender has looked whether the work has ended. */
    @Test
    void whatComesAfterTheEndIsNotDone() throws Exception {
        try (var scope = ActorSystem.open("test")) {
            var work = work(scope, CreationStrategy.of(Runnable::run), parts -> parts);
            assertThat(Waits.on(work.submit(1))).isEqualTo(1);
            work.close();
            assertThat(Waits.failure(work.submit(2))).hasMessageContaining("closed");
        }
    }

    private static boolean takesJobs(ActorScope scope) {
        try {
            scope.schedule(Schedule.once(LIMIT), () -> {
            }).cancel();
            return true;
        } catch (IllegalStateException closing) {
            return false;
        }
    }

    @Test
    void eachGroupHasTheWholeLimit() throws Exception {
        var time = new ManualTime();
        try (var scope = ActorSystem.configure("test").time(time).open()) {
            var go = new LinkedBlockingQueue<Integer>();
            var begun = new LinkedBlockingQueue<List<Integer>>();
            var work = new GroupWork<Integer, Integer>(scope, "double", GroupWork.Size.parts(1), LIMIT,
                    CreationStrategy.threads(),
                    true, parts -> {
                        begun.add(parts);
                        go.take();
                        return parts;
                    });
            var first = work.submit(1);
            begun.take();
            time.advance(Duration.ofSeconds(3));
            go.add(1);
            assertThat(Waits.on(first)).isEqualTo(1);
            var second = work.submit(2);
            begun.take();
            time.advance(Duration.ofSeconds(3)); // the first look, which leaves what is left to the second group
            go.add(1);
            assertThat(Waits.on(second)).isEqualTo(2);
            var third = work.submit(3);
            begun.take();
            var behind = work.submit(4);
            passLimit(time);
            assertThat(Waits.failure(third)).hasMessageContaining("has not answered for PT5S");
            assertThat(Waits.failure(behind)).hasMessageContaining("has not answered for PT5S");
            go.add(1);
            var last = work.submit(5);
            assertThat(begun.take()).isEqualTo(List.of(5));
            go.add(1);
            assertThat(Waits.on(last)).isEqualTo(5);
            time.advance(LIMIT);
            var stuck = work.submit(6);
            begun.take();
            passLimit(time);
            assertThat(Waits.failure(stuck)).hasMessageContaining("has not answered for PT5S");
            go.add(1);
        }
    }

    private static void passLimit(ManualTime time) {
        Waits.until("the next look has its time", () -> time.pending() == 1);
        time.advance(LIMIT);
    }

    /** The worker looks at a part that fits; until it takes that, the timer fails all that wait, and a large part comes. */
    @Test
    void aPartThatComesInPlaceOfAnotherOneMayNotFit() throws Exception {
        var time = new ManualTime();
        var groups = new LinkedBlockingQueue<List<Integer>>();
        var go = new CountDownLatch(1);
        var looks = new CountDownLatch(1);
        var large = new CountDownLatch(1);
        try (var scope = ActorSystem.configure("test").time(time).open()) {
            var size = new GroupWork.Size<Integer>(10, 5, n -> {
                if (n == 3) {
                    looks.countDown();
                    await(large);
                }
                return n;
            });
            var work =
                    new GroupWork<Integer, Integer>(scope, "double", size, LIMIT, CreationStrategy.threads(),
                            true, parts -> {
                                groups.add(parts);
                                go.await();
                                return parts;
                            });
            var first = work.submit(1);
            assertThat(groups.take()).containsExactly(1);
            var second = work.submit(2);
            var third = work.submit(3);
            var unused = first.whenComplete((value, late) -> { // by the timer, which then fails what waits
                go.countDown();
                await(looks);
            });
            time.advance(LIMIT);
            assertThat(Waits.failure(third)).hasMessageContaining("has not answered");
            var last = work.submit(9);
            large.countDown();
            assertThat(Waits.on(second)).isEqualTo(2);
            assertThat(Waits.on(last)).isEqualTo(9);
            assertThat(groups).containsExactly(List.of(2), List.of(9));
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static GroupWork<Integer, Integer> work(ActorScope scope, CreationStrategy strategy,
            GroupWork.Task<Integer, Integer> task) {
        return new GroupWork<>(scope, "double", GroupWork.Size.parts(10), LIMIT, strategy, true, task);
    }

    /** Must not be called: nothing fails. */
    private static void fails(Throwable failure) {
        throw new AssertionError(failure);
    }

    @Test
    void afterAQuickGroupOfOneACallerMayDoTheNextPartItself() throws Exception {
        var time = new ManualTime();
        try (var scope = ActorSystem.configure("test").time(time).open()) {
            var threads = new LinkedBlockingQueue<Thread>();
            var took = new AtomicReference<>(Duration.ZERO);
            var work = work(scope, CreationStrategy.threads(), parts -> {
                threads.add(Thread.currentThread());
                time.advance(took.get());
                return parts;
            });
            assertThat(work.isLone()).isFalse();
            Waits.on(work.submit(1));
            assertThat(threads.take()).isNotSameAs(Thread.currentThread());
            Waits.until("the worker rests", work::isLone);
            took.set(Duration.ofNanos(999_999));
            assertThat(work.doHere(2, GroupWorkTest::fails)).isCompletedWithValue(2);
            assertThat(threads.take()).isSameAs(Thread.currentThread());
            assertThat(work.isLone()).isTrue();
            Thread.currentThread().interrupt();
            assertThat(work.isLone()).as("an interrupt would break the connection").isFalse();
            assertThat(Thread.interrupted()).isTrue();
            took.set(Duration.ofMillis(1));
            Waits.on(work.doHere(3, GroupWorkTest::fails));
            assertThat(work.isLone()).as("the store is slow").isFalse();
        }
    }

    @Test
    void whatComesWhileACallerWorksIsOneGroupOfTheWorker() throws Exception {
        try (var scope = ActorSystem.open("test")) {
            var go = new LinkedBlockingQueue<Integer>();
            var begun = new LinkedBlockingQueue<List<Integer>>();
            var threads = new LinkedBlockingQueue<Thread>();
            var work = work(scope, CreationStrategy.threads(), parts -> {
                threads.add(Thread.currentThread());
                begun.add(parts);
                go.take();
                return parts;
            });
            var here = Thread.ofVirtual().start(() -> work.doHere(1, GroupWorkTest::fails));
            assertThat(begun.take()).isEqualTo(List.of(1));
            assertThat(threads.take()).isSameAs(here);
            var second = work.doHere(2, GroupWorkTest::fails);
            var third = work.submit(3);
            assertThat(work.isLone()).isFalse();
            go.add(1);
            // The worker has waited for the lock: both are there when it has it.
            assertThat(begun.take()).isEqualTo(List.of(2, 3));
            go.add(2);
            assertThat(Waits.on(second)).isEqualTo(2);
            assertThat(Waits.on(third)).isEqualTo(3);
            assertThat(work.isLone()).as("two parts at a time are a load").isFalse();
        }
    }

    @Test
    void aCallerDoesNotOvertakeWhatWaits() throws Exception {
        var turns = new LinkedBlockingQueue<Runnable>();
        var done = new ArrayList<Integer>();
        try (var scope = ActorSystem.open("test")) {
            var work = work(scope, CreationStrategy.of(turns::add), parts -> {
                done.addAll(parts);
                return parts;
            });
            work.submit(1);
            var turn = turns.take(); // the worker has been told, and does not run
            var second = work.doHere(2, GroupWorkTest::fails);
            assertThat(second).isNotDone();
            turn.run();
            assertThat(Waits.on(second)).isEqualTo(2);
            assertThat(done).containsExactly(1, 2);
            work.end();
            assertThat(Waits.failure(work.doHere(3, failure -> {
            }))).hasMessageContaining("closed");
            var closing = Thread.ofVirtual().start(scope::close);
            while (closing.isAlive()) {
                var rest = turns.poll();
                if (rest != null) {
                    rest.run();
                }
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void aCallerThatIsHeldUpIsToldOnAnotherThreadAndSoAreThoseBehind() throws Exception {
        var time = new ManualTime();
        try (var scope = ActorSystem.configure("test").time(time).open()) {
            var go = new LinkedBlockingQueue<Integer>();
            var begun = new LinkedBlockingQueue<List<Integer>>();
            var told = new CompletableFuture<Throwable>();
            var work = work(scope, CreationStrategy.threads(), parts -> {
                begun.add(parts);
                go.take();
                return parts;
            });
            var here = Thread.ofVirtual().start(() -> work.doHere(1, told::complete));
            begun.take();
            var behind = work.submit(2);
            time.advance(LIMIT);
            assertThat(Waits.on(told)).hasMessageContaining("has not answered for PT5S");
            assertThat(Waits.failure(behind)).hasMessageContaining("has not answered for PT5S");
            assertThat(here.isAlive()).isTrue();
            var closing = Thread.ofVirtual().start(work::close);
            Waits.until("close waits", () -> closing.getState() == Thread.State.TIMED_WAITING);
            go.add(1);
            here.join();
            closing.join();
        }
    }
}
