package io.fibry.pool;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorStoppedException;
import io.fibry.AskTimeoutException;
import io.fibry.Counters;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.HandlerAbandonedException;
import io.fibry.MailboxFullException;
import io.fibry.OverflowPolicy;
import io.fibry.Reply;
import io.fibry.Request;
import io.fibry.event.Failed;
import io.fibry.event.Undelivered;
import io.fibry.message.MessageFate;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WorkerPoolTest {
    private static final Duration IDLE = Duration.ofSeconds(30);
    private static final Duration LIMIT = Duration.ofSeconds(1);
    private static final Duration GRACE = Duration.ofMillis(1);

    private final Recorder events = new Recorder();
    private final ManualTime time = new ManualTime();

    /** Each message holds its worker until the test lets it go. */
    private static final class Work {
        final Semaphore mayEnd = new Semaphore(0);
        final AtomicInteger running = new AtomicInteger();
        final AtomicInteger most = new AtomicInteger();
        final List<Integer> begun = new CopyOnWriteArrayList<>();

        int run(int message) throws InterruptedException {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            begun.add(message);
            mayEnd.acquire();
            running.decrementAndGet();
            return message;
        }
    }

    @Promise("39.1")
    @EveryStrategy
    void eachMessageMeetsOneFateHoweverManySendAndAskAtATime(Strategy strategy) throws Exception {
        var each = 300;
        var inside = new ConcurrentHashMap<Object, AtomicInteger>();
        try (var scope = Scopes.on(strategy, events)) {
            for (var overflow : List.of(OverflowPolicy.reject(), OverflowPolicy.block(),
                    OverflowPolicy.dropOldest(),
                    OverflowPolicy.dropNewest())) {
                var handled = new AtomicInteger();
                var pool = WorkerPool.openWithReturn(scope, "sums",
                        PoolOptions.<Integer>scaling(1, 3, Duration.ofNanos(200_000), 4)
                                .withOverflow(overflow),
                        WorkerState.of(Object::new), (state, number) -> {
                            var mine = inside.computeIfAbsent(state, any -> new AtomicInteger());
                            assertThat(mine.getAndIncrement()).as("messages in one worker").isZero();
                            handled.incrementAndGet();
                            try {
                                if (number % 50 == 0) {
                                    throw new IllegalStateException("on purpose");
                                }
                                return number + 1;
                            } finally {
                                mine.decrementAndGet();
                            }
                        });
                Senders.run(3, sender -> {
                    for (int n = 1; n <= each; n++) {
                        if (n % 3 == 0) {
                            try {
                                assertThat(Waits.on(pool.sendMessageReturn(n))).isEqualTo(n + 1);
                            } catch (ExecutionException none) {
                                assertThat(none.getCause()).isInstanceOfAny(MailboxFullException.class,
                                        IllegalStateException.class);
                            }
                        } else if (n % 3 == 1) {
                            pool.sendMessage(n);
                        } else {
                            assertThat(Waits.on(pool.sendTracked(n))).isNotNull();
                        }
                        assertThat(pool.size()).isBetween(0, 3);
                    }
                });
                soon().until(() -> pool.counters().total() == 3 * each);
                var counters = pool.counters();
                assertThat(counters.handled() + counters.failed()).isEqualTo(handled.get());
                if (overflow instanceof OverflowPolicy.Block) {
                    assertThat(handled).hasValue(3 * each);
                }
                assertThat(pool.waiting()).isZero();
                pool.close();
            }
        }
    }

    @Promise("39.1")
    @EveryStrategy
    void noMessageWaitsBehindASlowOneWhileAWorkerHasNothingToDo(Strategy strategy) throws Exception {
        var slow = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy)) {
            var pool = WorkerPool.<Integer, Integer>openWithReturn(scope, "two", PoolOptions.fixed(2, 100),
                    number -> {
                        if (number == 0) {
                            slow.await();
                        }
                        return number;
                    });
            var first = pool.sendMessageReturn(0);
            var others = new ArrayList<CompletableFuture<Integer>>();
            for (int n = 1; n <= 50; n++) {
                others.add(pool.sendMessageReturn(n));
            }
            for (int n = 1; n <= 50; n++) {
                assertThat(Waits.on(others.get(n - 1))).isEqualTo(n);
            }
            assertThat(first).isNotDone();
            soon().until(() -> pool.busy() == 1);
            assertThat(pool.waiting()).isZero();
            assertThat(pool.size()).isEqualTo(2);
            slow.countDown();
            assertThat(Waits.on(first)).isZero();
            soon().until(() -> pool.busy() == 0);
        }
    }

    @Promise("39.1")
    @EveryStrategy
    void noMoreMessagesWaitThanTheCapacity(Strategy strategy) throws Exception {
        var work = new Work();
        try (var scope = Scopes.on(strategy, events)) {
            var pool = WorkerPool.openWithReturn(scope, "small", PoolOptions.<Integer>fixed(2, 3), work::run);
            var answers = new ArrayList<CompletableFuture<Integer>>();
            for (int n = 0; n < 6; n++) {
                answers.add(pool.sendMessageReturn(n));
                var begun = Math.min(n + 1, 2);
                soon().until(() -> work.begun.size() == begun);
            }
            assertThat(pool.waiting()).isEqualTo(3);
            assertThat(pool.busy()).isEqualTo(2);
            assertThat(Waits.failure(answers.get(5))).isInstanceOf(MailboxFullException.class)
                    .hasMessageContaining("small");
            assertThat(pool.sendMessage(7)).isFalse();
            assertThat(Waits.on(pool.sendTracked(8))).isInstanceOf(MessageFate.Refused.class);
            work.mayEnd.release(5);
            for (int n = 0; n < 5; n++) {
                assertThat(Waits.on(answers.get(n))).isEqualTo(n);
            }
            assertThat(work.most).hasValue(2);
            assertThat(events.of(Undelivered.class)).hasSize(3);
            soon().until(() -> pool.counters().handled() == 5);
            assertThat(pool.counters().refused()).isEqualTo(3);
        }
    }

    @Promise("39.4")
    @EveryStrategy
    void eachWorkerHasAStateWhichIsMadeAndClosedOnce(Strategy strategy) throws Exception {
        var made = new CopyOnWriteArrayList<AtomicInteger>();
        var closed = new CopyOnWriteArrayList<AtomicInteger>();
        var both = new CountDownLatch(2);
        try (var scope = Scopes.on(strategy, events)) {
            var state = WorkerState.<AtomicInteger>of(() -> {
                var fresh = new AtomicInteger();
                made.add(fresh);
                return fresh;
            }).closedBy(closed::add);
            try (var pool = WorkerPool.<AtomicInteger, Integer>open(scope, "stateful",
                    PoolOptions.<Integer>fixed(2, 10)
                            .withActors(builder -> builder.onFailure(FailurePolicy.restart())),
                    state, (mine, number) -> {
                        mine.incrementAndGet();
                        if (number == 0) {
                            throw new IllegalStateException("on purpose");
                        }
                        both.countDown();
                        both.await();
                    })) {
                pool.sendMessage(1);
                pool.sendMessage(2);
                Waits.on(both);
                assertThat(made).hasSize(2);
                assertThat(closed).isEmpty();
                pool.sendMessage(0);
                soon().until(() -> closed.size() == 1);
                pool.sendMessage(3);
                pool.sendMessage(4);
            }
            assertThat(closed).containsExactlyInAnyOrderElementsOf(made);
            assertThat(made.stream().mapToInt(AtomicInteger::get).sum()).isEqualTo(5);
            assertThat(events.of(Failed.class)).hasSize(1);
        }
    }

    @Promise("39.4")
    @EveryStrategy
    void aWorkerTakesThePlaceOfAnotherOneWhenTheStateOfThatIsClosed(Strategy strategy) throws Exception {
        var open = new AtomicInteger();
        var most = new AtomicInteger();
        var closing = new CountDownLatch(1);
        var mayClose = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy, events)) {
            var state = WorkerState
                    .<Integer>of(() -> most.accumulateAndGet(open.incrementAndGet(), Math::max))
                    .closedBy(number -> {
                        closing.countDown();
                        Waits.on(mayClose);
                        open.decrementAndGet();
                    });
            var pool = WorkerPool.<Integer, Integer, Integer>openWithReturn(scope, "places",
                    PoolOptions.<Integer>fixed(1, 10)
                            .withActors(builder -> builder.onFailure(FailurePolicy.stop())),
                    state, (mine, number) -> {
                        if (number == 0) {
                            throw new IllegalStateException("on purpose");
                        }
                        return number;
                    });
            var failing = Senders.start(1, sender -> assertThat(Waits.failure(pool.sendMessageReturn(0)))
                    .hasMessage("on purpose"));
            Waits.on(closing);
            var later = pool.sendMessageReturn(1);
            assertThat(later).isNotDone();
            assertThat(pool.size()).isEqualTo(1);
            mayClose.countDown();
            assertThat(Waits.on(later)).isEqualTo(1);
            assertThat(most).hasValue(1);
            failing.join();
        }
        assertThat(open).hasValue(0);
    }

    @Promise("39.4")
    @EveryStrategy
    void aPoolThatIsStoppedHandlesWhatWaitsWhenAStateIsClosedLate(Strategy strategy) throws Exception {
        var closing = new CountDownLatch(1);
        var mayClose = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy, events)) {
            var state = WorkerState.<String>of(() -> "connected ").closedBy(connection -> {
                closing.countDown();
                Waits.on(mayClose);
            });
            var pool = WorkerPool.<String, Integer, String>openWithReturn(scope, "late",
                    PoolOptions.<Integer>fixed(1, 10)
                            .withActors(builder -> builder.onFailure(FailurePolicy.stop())),
                    state, (mine, number) -> {
                        if (number == 0) {
                            throw new IllegalStateException("on purpose");
                        }
                        return mine + number;
                    });
            var failing = Senders.start(1, sender -> assertThat(Waits.failure(pool.sendMessageReturn(0)))
                    .hasMessage("on purpose"));
            Waits.on(closing);
            var later = pool.sendMessageReturn(1);
            var stop = Senders.start(1, sender -> pool.stop(Duration.ofMinutes(1)));
            soon().until(pool::isStopping);
            mayClose.countDown();
            assertThat(Waits.on(later)).isEqualTo("connected 1");
            stop.join();
            failing.join();
        }
    }

    @Promise("39.4")
    @Test
    void aWorkerWhoseThreadWasAbandonedHoldsNoPlace() throws Exception {
        var stuck = new CountDownLatch(1);
        var mayGoOn = new Semaphore(0);
        var limits = new ArrayDeque<>(List.of(LIMIT)); // of the first worker, which gets one message
        try (var scope = Scopes.on(Strategy.FIBERS, events, time)) {
            var pool = WorkerPool.<String, Integer, Integer>openWithReturn(scope, "stuck",
                    PoolOptions.<Integer>fixed(1, 10)
                            .withActors(builder -> builder.onFailure(FailurePolicy.stop())
                                    .abandonStuck(
                                            Objects.requireNonNullElse(limits.poll(), Duration.ofHours(1)),
                                            GRACE)
                                    .around(handling -> {
                                        var answer = handling.proceed();
                                        if (handling.message().equals(0)) {
                                            stuck.countDown();
                                            mayGoOn.acquireUninterruptibly(); // outside the handler
                                        }
                                        return answer;
                                    })),
                    WorkerState.of(() -> "state"), (mine, number) -> number);
            var first = pool.sendMessageReturn(0);
            Waits.on(stuck);
            try {
                passLimits();
                assertThat(Waits.failure(first)).isInstanceOf(HandlerAbandonedException.class);
                assertThat(Waits.on(pool.sendMessageReturn(1))).isEqualTo(1);
            } finally {
                mayGoOn.release();
            }
        }
    }

    @Promise({"39.4", "39.9"})
    @Test
    void aPoolThatIsStoppedHandlesWhatWaitsBehindAHandlerThatIsAbandoned() throws Exception {
        var stuck = new CountDownLatch(1);
        var mayGoOn = new Semaphore(0);
        var limits = new ArrayDeque<>(List.of(LIMIT)); // of the first worker, which gets one message
        try (var scope = Scopes.on(Strategy.FIBERS, events, time)) {
            var pool = WorkerPool.<String, Integer, Integer>openWithReturn(scope, "stopped",
                    PoolOptions.<Integer>fixed(1, 10)
                            .withActors(builder -> builder.onFailure(FailurePolicy.stop()).abandonStuck(
                                    Objects.requireNonNullElse(limits.poll(), Duration.ofHours(1)),
                                    GRACE)),
                    WorkerState.of(() -> "state"), (mine, number) -> {
                        if (number == 0) {
                            stuck.countDown();
                            mayGoOn.acquireUninterruptibly();
                        }
                        return number;
                    });
            var first = pool.sendMessageReturn(0);
            Waits.on(stuck);
            var later = pool.sendMessageReturn(1);
            var stop = Senders.start(1, sender -> pool.stop(Duration.ofMinutes(1)));
            try {
                soon().until(pool::isStopping);
                passLimits();
                assertThat(Waits.failure(first)).isInstanceOf(HandlerAbandonedException.class);
                assertThat(Waits.on(later)).isEqualTo(1);
            } finally {
                mayGoOn.release();
            }
            stop.join();
        }
    }

    /** Lets a handler be interrupted and abandoned. Another thread sets the alarm of each limit, after the handler has begun. */
    private void passLimits() {
        for (var limit : List.of(LIMIT, GRACE)) {
            Waits.until("a limit of " + limit, () -> time.nanosToNext() == limit.toNanos());
            time.advanceToNext();
        }
    }

    @Promise("39.1")
    @Test
    void aWorkerThatItsCallerHasRunIsFreeAtOnce() throws Exception {
        var begun = new CountDownLatch(1);
        var mayEnd = new CountDownLatch(1);
        var one = CreationStrategy.pool(1);
        try (var scope = Scopes.on(Strategy.FIBERS, events)) {
            var pool = WorkerPool.<Integer, Integer>openWithReturn(scope, "called",
                    PoolOptions.<Integer>fixed(1, 10)
                            .withActors(builder -> builder.strategy(one).runByCallers()),
                    number -> number);
            scope.anonymous().strategy(one).newActor((String message) -> {
                begun.countDown();
                Waits.on(mayEnd);
            }).sendMessage("take the only thread");
            Waits.on(begun);
            for (int number = 0; number < 3; number++) {
                assertThat(pool.ask(number, Duration.ofSeconds(30)).get()).isEqualTo(number);
            }
            mayEnd.countDown();
        }
    }

    @Promise("39.6")
    @EveryStrategy
    void aPoolThatMayGrowDoesNotWaitForThePlaceOfAWorkerThatEnds(Strategy strategy) throws Exception {
        var closing = new CountDownLatch(1);
        var mayClose = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy, events)) {
            var state = WorkerState.<String>of(() -> "state").closedBy(each -> {
                closing.countDown();
                Waits.on(mayClose);
            });
            var pool = WorkerPool.<String, Integer, Integer>openWithReturn(scope, "growing",
                    PoolOptions.<Integer>scaling(1, 2, Duration.ofHours(1), 10).withGrowth(3)
                            .withActors(builder -> builder.onFailure(FailurePolicy.stop())),
                    state, (mine, number) -> {
                        if (number == 0) {
                            throw new IllegalStateException("on purpose");
                        }
                        return number;
                    });
            var failing = Senders.start(1, sender -> assertThat(Waits.failure(pool.sendMessageReturn(0)))
                    .hasMessage("on purpose"));
            Waits.on(closing);
            assertThat(Waits.on(pool.sendMessageReturn(1))).isEqualTo(1);
            mayClose.countDown();
            failing.join();
        }
    }

    @Promise("39.4")
    @EveryStrategy
    void aStateThatCannotBeMadeFailsTheMessageAndTheNextOneTriesAgain(Strategy strategy) throws Exception {
        var tries = new AtomicInteger();
        try (var scope = Scopes.on(strategy, events)) {
            var pool = WorkerPool.<String, String, String>openWithReturn(scope, "late",
                    PoolOptions.fixed(1, 10), WorkerState.of(() -> {
                        if (tries.incrementAndGet() < 3) {
                            throw new IllegalStateException("no connection");
                        }
                        return "connected ";
                    }), (state, message) -> state + message);
            assertThat(Waits.failure(pool.sendMessageReturn("a"))).hasMessage("no connection");
            assertThat(Waits.failure(pool.sendMessageReturn("b"))).hasMessage("no connection");
            assertThat(Waits.on(pool.sendMessageReturn("c"))).isEqualTo("connected c");
        }
    }

    @Promise("39.4")
    @EveryStrategy
    void whateverFollowsAFailureOtherMessagesAreHandled(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            for (var policy : List.of(FailurePolicy.resume(),
                    FailurePolicy.restart(100, Duration.ofMinutes(1)),
                    FailurePolicy.restart(1, Duration.ofMinutes(1)), FailurePolicy.stop(),
                    FailurePolicy.escalate())) {
                var pool = WorkerPool.openWithReturn(scope, "failing", PoolOptions.<Integer>fixed(2, 100)
                        .withActors(builder -> builder.onFailure(policy)), (Integer number) -> {
                            if (number % 3 == 0) {
                                throw new IllegalArgumentException("number " + number);
                            }
                            return number;
                        });
                var answers = new ArrayList<CompletableFuture<Integer>>();
                for (int n = 0; n < 60; n++) {
                    answers.add(pool.sendMessageReturn(n));
                }
                for (int n = 0; n < 60; n++) {
                    if (n % 3 == 0) {
                        assertThat(Waits.failure(answers.get(n))).hasMessage("number " + n);
                    } else {
                        assertThat(Waits.on(answers.get(n))).isEqualTo(n);
                    }
                }
                soon().until(() -> pool.counters().total() == 60 && pool.size() == 2 && pool.busy() == 0);
                assertThat(pool.counters().handled()).isEqualTo(40);
                assertThat(pool.counters().failed()).isEqualTo(20);
                pool.close();
                assertThat(pool.size()).isZero();
            }
            assertThat(events.of(Failed.class)).hasSize(100);
            assertThat(events.of(Undelivered.class)).isEmpty();
        }
    }

    @Promise("39.4")
    @EveryStrategy
    void workersThatCannotStartAreNotMadeForEver(Strategy strategy) throws Exception {
        var starts = new AtomicInteger();
        try (var scope = Scopes.on(strategy, events)) {
            var pool = WorkerPool.<Integer>open(scope, "unable", PoolOptions.<Integer>fixed(2, 10)
                    .withActors(builder -> builder.onFailure(FailurePolicy.stop()).onStart(() -> {
                        starts.incrementAndGet();
                        throw new IllegalStateException("on purpose");
                    })), number -> {
                    });
            soon().until(() -> pool.size() == 0);
            pool.sendMessage(1);
            soon().until(() -> pool.size() == 0);
            assertThat(starts.get()).isBetween(2, 10);
        }
    }

    @Promise("39.6")
    @EveryStrategy
    void thePoolGrowsWhenMessagesWaitAndShrinksWhenItIsIdle(Strategy strategy) throws Exception {
        var work = new Work();
        try (var scope = Scopes.on(strategy, events, time)) {
            var pool = WorkerPool.openWithReturn(scope, "elastic",
                    PoolOptions.<Integer>scaling(1, 2, IDLE, 100).withGrowth(2), work::run);
            assertThat(pool.size()).isEqualTo(1);
            pool.sendMessage(0);
            soon().until(() -> work.begun.size() == 1);
            pool.sendMessage(1);
            assertThat(pool.size()).as("one message waits").isEqualTo(1);
            pool.sendMessage(2);
            soon().until(() -> work.begun.size() == 2);
            assertThat(pool.size()).isEqualTo(2);
            for (int n = 3; n < 10; n++) {
                pool.sendMessage(n);
            }
            assertThat(pool.size()).as("there are not to be more").isEqualTo(2);
            work.mayEnd.release(100);
            soon().until(() -> pool.counters().handled() == 10);
            soon().until(() -> pool.busy() == 0);
            soon().until(() -> {
                time.advance(IDLE);
                return pool.size() == 1;
            });
            time.advance(IDLE);
            assertThat(pool.size()).isEqualTo(1);
            assertThat(Waits.on(pool.sendMessageReturn(10))).isEqualTo(10);
            assertThat(work.most).hasValue(2);
        }
        assertThat(events.of(Undelivered.class)).isEmpty();
        assertThat(time.pending()).isZero();
    }

    @Promise("39.7")
    @EveryStrategy
    void messagesTakeNoMoreUnitsThanThePoolHas(Strategy strategy) throws Exception {
        var taken = new AtomicInteger();
        var most = new AtomicInteger();
        try (var scope = Scopes.on(strategy, events)) {
            var pool = WorkerPool.<Integer, Integer>openWithReturn(scope, "heavy",
                    PoolOptions.<Integer>fixed(4, 1_000).withWeight(5, weight -> weight), weight -> {
                        most.accumulateAndGet(taken.addAndGet(weight), Math::max);
                        Thread.yield();
                        taken.addAndGet(-weight);
                        if (weight == 4) {
                            throw new IllegalStateException("on purpose");
                        }
                        return weight;
                    });
            Senders.run(3, sender -> {
                var answers = new ArrayList<CompletableFuture<Integer>>();
                for (int n = 0; n < 100; n++) {
                    answers.add(pool.sendMessageReturn(1 + n % 5));
                }
                for (var answer : answers) {
                    try {
                        Waits.on(answer);
                    } catch (ExecutionException onPurpose) {
                        assertThat(onPurpose).hasMessageContaining("on purpose");
                    }
                }
            });
            assertThat(most.get()).isLessThanOrEqualTo(5);
            for (var wrong : List.of(0, 6)) {
                assertThatThrownBy(() -> pool.sendMessage(wrong)).isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("'heavy'").hasMessageContaining("weight " + wrong);
                assertThatThrownBy(() -> pool.sendMessageReturn(wrong))
                        .isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> pool.sendTracked(wrong, IDLE))
                        .isInstanceOf(IllegalArgumentException.class);
            }
            soon().until(() -> pool.counters().total() == 300);
            assertThat(Waits.on(pool.sendMessageReturn(5))).as("all units are free").isEqualTo(5);
        }
    }

    @Promise("39.7")
    @EveryStrategy
    void aHeavyMessageIsNotOvertaken(Strategy strategy) throws Exception {
        var work = new Work();
        try (var scope = Scopes.on(strategy)) {
            var pool = WorkerPool.open(scope, "order",
                    PoolOptions.<Integer>fixed(3, 10).withWeight(3, weight -> weight), work::run);
            pool.sendMessage(1);
            pool.sendMessage(3);
            pool.sendMessage(1);
            soon().until(() -> work.begun.size() == 1);
            assertThat(pool.waiting()).isEqualTo(2);
            work.mayEnd.release();
            soon().until(() -> work.begun.size() == 2);
            assertThat(pool.waiting()).isEqualTo(1);
            assertThat(work.begun).containsExactly(1, 3);
            work.mayEnd.release(2);
            soon().until(() -> work.begun.size() == 3);
        }
    }

    @Promise("39.8")
    @EveryStrategy
    void messagesOfAKeyAreHandledInOrderAndOneAtATime(Strategy strategy) throws Exception {
        record Step(int sender, int key, int number) {
        }
        var inside = new ConcurrentHashMap<Integer, AtomicInteger>();
        var latest = new ConcurrentHashMap<String, Integer>();
        var wrong = new CopyOnWriteArrayList<String>();
        try (var scope = Scopes.on(strategy)) {
            var pool = WorkerPool.<Step, Integer>openWithReturn(scope, "ordered",
                    PoolOptions.<Step>scaling(1, 4, Duration.ofNanos(200_000), 16).withKey(Step::key)
                            .withOverflow(OverflowPolicy.block()),
                    step -> {
                        var mine = inside.computeIfAbsent(step.key(), any -> new AtomicInteger());
                        if (mine.getAndIncrement() != 0) {
                            wrong.add("two at a time: " + step);
                        }
                        var before = latest.put(step.sender() + "/" + step.key(), step.number());
                        if (before != null && before >= step.number()) {
                            wrong.add(step + " after " + before);
                        }
                        if (step.number() % 10 == 0) {
                            Thread.yield();
                        }
                        mine.decrementAndGet();
                        return step.number();
                    });
            Senders.run(3, sender -> {
                for (int n = 0; n < 400; n++) {
                    var step = new Step(sender, n % 5, n);
                    if (n % 40 == 0) {
                        assertThat(Waits.on(pool.sendMessageReturn(step))).isEqualTo(n);
                    } else {
                        assertThat(pool.sendMessage(step)).isTrue();
                    }
                }
            });
            soon().until(() -> pool.counters().handled() == 1_200);
            assertThat(wrong).isEmpty();
        }
    }

    @Promise("39.8")
    @EveryStrategy
    void aKeyThatIsAtWorkHoldsUpNoOtherKey(Strategy strategy) throws Exception {
        var slow = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy)) {
            var pool = WorkerPool.<String, String>openWithReturn(scope, "keys",
                    PoolOptions.<String>fixed(2, 100).withKey(text -> text.charAt(0)), text -> {
                        if (text.equals("a0")) {
                            slow.await();
                        }
                        return text;
                    });
            var first = pool.sendMessageReturn("a0");
            var second = pool.sendMessageReturn("a1");
            for (int n = 0; n < 10; n++) {
                assertThat(Waits.on(pool.sendMessageReturn("b" + n))).isEqualTo("b" + n);
            }
            assertThat(first).isNotDone();
            assertThat(second).isNotDone();
            slow.countDown();
            assertThat(Waits.on(second)).isEqualTo("a1");
        }
    }

    @Promise("39.9")
    @EveryStrategy
    void aStopHandlesWhatWaitsAndRefusesWhatComesLater(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var handled = new AtomicInteger();
            var pool = WorkerPool.<Integer>open(scope, "drained",
                    PoolOptions.<Integer>fixed(2, 20_000).withOverflow(OverflowPolicy.block()),
                    number -> handled.incrementAndGet());
            var stopped = pool.onStopped();
            for (int n = 0; n < 15_000; n++) {
                pool.sendMessage(n);
            }
            assertThat(pool.isStopping()).isFalse();
            var report = pool.stop(Duration.ofSeconds(30));
            assertThat(pool.isStopping()).isTrue();
            assertThat(handled).hasValue(15_000);
            assertThat(report.stopped()).isTrue();
            assertThat(report.forced()).isFalse();
            assertThat(report.counters().handled()).isEqualTo(15_000);
            assertThat(Waits.on(stopped)).isEqualTo(report);
            assertThat(pool.sendMessage(1)).isFalse();
            assertThat(pool.size()).isZero();
            assertThat(pool.counters().refused()).isEqualTo(1);
        }
    }

    @Promise("39.9")
    @EveryStrategy
    void atTheDeadlineOfAStopWhatWaitsIsUndelivered(Strategy strategy) throws Exception {
        var begun = new CountDownLatch(1);
        var interrupted = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy, events)) {
            var pool = WorkerPool.<Integer, Integer>openWithReturn(scope, "stuck", PoolOptions.fixed(1, 10),
                    number -> {
                        Waits.untilInterrupted(begun, interrupted);
                        return number;
                    });
            pool.sendMessage(1);
            Waits.on(begun);
            var second = pool.sendMessageReturn(2);
            var third = pool.sendTracked(3);
            var report = pool.stop(Duration.ofMillis(1));
            Waits.on(interrupted);
            assertThat(report.forced()).isTrue();
            assertThat(Waits.failure(second)).isInstanceOf(ActorStoppedException.class);
            assertThat(Waits.on(third)).isInstanceOf(MessageFate.Undelivered.class);
            soon().until(() -> pool.size() == 0);
            soon().until(() -> pool.counters().total() == 3);
        }
    }

    @Promise("39.9")
    @Test
    void theScopeAroundAPoolEndsIt() throws Exception {
        var scope = Scopes.configure().open();
        var pool =
                WorkerPool.<Integer, Integer>openWithReturn(scope, "inner", PoolOptions.fixed(2, 10), n -> n);
        var stopped = pool.onStopped();
        var answer = pool.sendMessageReturn(4);
        scope.close();
        assertThat(answer).isCompletedWithValue(4);
        assertThat(Waits.on(stopped).counters().handled()).isEqualTo(1);
        assertThatThrownBy(() -> WorkerPool.<Integer>open(scope, "late", PoolOptions.fixed(1, 1), n -> {
        })).isInstanceOf(IllegalStateException.class);
    }

    @Promise("39.1")
    @EveryStrategy
    void timeLimitsAndCancellationsFreeTheirWorkers(Strategy strategy) throws Exception {
        var work = new Work();
        try (var scope = Scopes.on(strategy, events, time)) {
            var pool =
                    WorkerPool.openWithReturn(scope, "limited", PoolOptions.<Integer>fixed(1, 10), work::run);
            var first = pool.sendMessageReturn(1);
            soon().until(() -> work.begun.size() == 1);
            var late = pool.ask(2, Duration.ofSeconds(5));
            var cancelled = pool.sendMessageReturn(3);
            var stale = pool.sendTracked(4, Duration.ofSeconds(5));
            var last = pool.sendMessageReturn(5);
            time.advance(Duration.ofSeconds(6));
            cancelled.cancel(false);
            assertThat(Waits.failure(late)).isInstanceOf(AskTimeoutException.class);
            work.mayEnd.release(2);
            assertThat(Waits.on(first)).isEqualTo(1);
            assertThat(Waits.on(last)).isEqualTo(5);
            assertThat(Waits.on(stale)).isInstanceOf(MessageFate.Expired.class);
            assertThat(work.begun).containsExactly(1, 5);
            soon().until(() -> pool.counters().equals(new Counters(2, 0, 3, 0, 0, 0)));
        }
    }

    private sealed interface Text<A> extends Request<A> {
        record Length(String text) implements Text<Integer> {
        }

        record Upper(String text) implements Text<String> {
        }
    }

    @Promise("39.1")
    @EveryStrategy
    void aPoolTakesTypedRequests(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            WorkerPool<Text<?>, Reply> pool =
                    WorkerPool.openWithReturn(scope, "texts", PoolOptions.fixed(2, 10),
                            (Text<?> request) -> switch (request) {
                                case Text.Length length -> length.reply(length.text().length());
                                case Text.Upper upper -> upper.reply(upper.text().toUpperCase(Locale.ROOT));
                            });
            int length = Waits.on(pool.request(new Text.Length("four")));
            assertThat(length).isEqualTo(4);
            assertThat(pool.requestWait(new Text.Upper("loud"))).isEqualTo("LOUD");
            assertThat(pool.requestWait(new Text.Upper("loud"), IDLE)).isEqualTo("LOUD");
            assertThat(Waits.on(pool.request(new Text.Length("a"), IDLE))).isEqualTo(1);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> pool.requestWait(new Text.Upper("no")))
                    .isInstanceOf(InterruptedException.class);
        }
    }

    @Test
    void optionsAreChecked() {
        Map<String, Runnable> wrong = Map.of(
                "least must be at least 1: 0", () -> PoolOptions.scaling(0, 1, IDLE, 1),
                "most must not be less than least, 2: 1", () -> PoolOptions.scaling(2, 1, IDLE, 1),
                "idle must be more than zero: PT0S", () -> PoolOptions.scaling(1, 2, Duration.ZERO, 1),
                "capacity must be at least 1: 0", () -> PoolOptions.fixed(1, 0),
                "growth must be from 1 to the capacity of 3: 4", () -> PoolOptions.fixed(1, 3).withGrowth(4),
                "units must be at least 1: 0", () -> PoolOptions.fixed(1, 3).withWeight(0, any -> 1));
        wrong.forEach((text, making) -> assertThatThrownBy(making::run)
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining(text));
    }
}
