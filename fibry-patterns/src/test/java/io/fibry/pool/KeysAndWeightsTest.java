package io.fibry.pool;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.Stereotypes;
import io.fibry.message.MessageFate;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Pools whose messages have keys, or keys and weights. */
class KeysAndWeightsTest {
    private record Job(String key, int number, int weight) {
        Job(String key, int number) {
            this(key, number, 1);
        }
    }

    private final List<Job> begun = new CopyOnWriteArrayList<>();
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    private Integer holdFirst(Job job) throws InterruptedException {
        begun.add(job);
        if (job.number() == 0) {
            mayEnd.await();
        }
        return job.number();
    }

    @Promise({"39.7", "39.8"})
    @EveryStrategy
    void keysAndWeightsTogether(Strategy strategy) throws Exception {
        var taken = new AtomicInteger();
        var inside = new ConcurrentHashMap<String, AtomicInteger>();
        var latest = new ConcurrentHashMap<String, Integer>();
        var wrong = new CopyOnWriteArrayList<String>();
        try (var scope = Scopes.on(strategy)) {
            var pool = WorkerPool.<Job, Integer>openWithReturn(scope, "both",
                    PoolOptions.<Job>fixed(4, 16).withKey(Job::key).withWeight(5, Job::weight)
                            .withOverflow(OverflowPolicy.block()),
                    job -> {
                        if (taken.addAndGet(job.weight()) > 5) {
                            wrong.add("too heavy: " + job);
                        }
                        var mine = inside.computeIfAbsent(job.key(), any -> new AtomicInteger());
                        if (mine.getAndIncrement() != 0) {
                            wrong.add("two at a time: " + job);
                        }
                        var before = latest.put(job.key(), job.number());
                        if (before != null && before >= job.number()) {
                            wrong.add(job + " after " + before);
                        }
                        mine.getAndDecrement();
                        taken.addAndGet(-job.weight());
                        return job.number();
                    });
            Senders.run(3, sender -> {
                for (int n = 0; n < 150; n++) {
                    assertThat(pool.sendMessage(new Job(sender + "/" + n % 3, n, 1 + n % 5))).isTrue();
                }
            });
            soon().until(() -> pool.counters().handled() == 450);
            assertThat(wrong).isEmpty();
            soon().until(() -> pool.busy() == 0);
            assertThat(Waits.on(pool.sendMessageReturn(new Job("all", 1, 5)))).as("all units are free")
                    .isEqualTo(1);
        }
    }

    @Promise("39.8")
    @EveryStrategy
    void moreMessagesOfAKeyThanAWorkerTakesStayInTheMailbox(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var pool = WorkerPool.<Job, Integer>openWithReturn(scope, "many",
                    PoolOptions.<Job>fixed(2, 100).withKey(Job::key), this::holdFirst);
            for (int n = 0; n < 16; n++) {
                pool.sendMessage(new Job("a", n));
            }
            assertThat(pool.waiting()).isZero();
            assertThat(Waits.on(pool.sendMessageReturn(new Job("b", 1)))).isEqualTo(1);
            pool.sendMessage(new Job("a", 16));
            var behind = pool.sendMessageReturn(new Job("b", 2));
            assertThat(pool.waiting()).isEqualTo(2);
            assertThat(behind).isNotDone();
            mayEnd.countDown();
            assertThat(Waits.on(behind)).isEqualTo(2);
            soon().until(() -> pool.counters().handled() == 19);
            assertThat(begun.stream().filter(job -> job.key().equals("a")).map(Job::number)).isSorted()
                    .hasSize(17);
        }
    }

    @Promise({"39.4", "39.8"})
    @EveryStrategy
    void aWorkerWithAKeyThatStopsTakesItsMessagesWithIt(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var pool = WorkerPool.<Job, Integer>openWithReturn(scope, "stopping",
                    PoolOptions.<Job>fixed(2, 100)
                            .withKey(Job::key).withActors(builder -> builder.onFailure(FailurePolicy.stop())),
                    job -> {
                        holdFirst(job);
                        if (job.number() == 0) {
                            throw new IllegalStateException("on purpose");
                        }
                        return job.number();
                    });
            var first = pool.sendTracked(new Job("a", 0));
            var second = pool.sendTracked(new Job("a", 1));
            assertThat(pool.waiting()).isZero();
            mayEnd.countDown();
            assertThat(Waits.on(first)).isInstanceOf(MessageFate.Failed.class);
            assertThat(Waits.on(second)).isInstanceOf(MessageFate.Undelivered.class);
            soon().until(() -> pool.size() == 2 && pool.busy() == 0);
            assertThat(Waits.on(pool.sendMessageReturn(new Job("a", 2)))).isEqualTo(2);
        }
    }

    @Promise("39.8")
    @EveryStrategy
    void aKeyIsFreeWhenItsWorkerHasStoppedAndNotBefore(Strategy strategy) throws Exception {
        var selves = new CopyOnWriteArrayList<Actor<?, ?>>();
        try (var scope = Scopes.on(strategy)) {
            var options = PoolOptions.<Job>fixed(2, 100).withKey(Job::key)
                    .withActors(builder -> builder.around(handling -> {
                        selves.add(handling.actor());
                        return handling.proceed();
                    }));
            var pool = WorkerPool.openWithReturn(scope, "leaving", options, this::holdFirst);
            var first = pool.sendMessageReturn(new Job("a", 0));
            soon().until(() -> begun.size() == 1);
            selves.getFirst().askExit();
            CompletableFuture<Integer> second = pool.sendMessageReturn(new Job("a", 1));
            assertThat(pool.waiting()).isEqualTo(1);
            assertThat(begun).hasSize(1);
            mayEnd.countDown();
            assertThat(Waits.on(first)).isZero();
            assertThat(Waits.on(second)).isEqualTo(1);
        }
    }

    @Promise("39.1")
    @EveryStrategy
    void theUnitsOfAWorkerThatStopsAreFreeWhileItsStateIsClosed(Strategy strategy) throws Exception {
        var mayClose = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy)) {
            var state = WorkerState.<String>of(() -> "state").closedBy(each -> Waits.on(mayClose));
            var pool = WorkerPool.<String, Job, Integer>openWithReturn(scope, "pool",
                    PoolOptions.<Job>fixed(2, 10).withWeight(5, Job::weight)
                            .withActors(actor -> actor.onFailure(FailurePolicy.stop())),
                    state, (mine, job) -> {
                        if (holdFirst(job) == 0) {
                            throw new IllegalStateException("on purpose");
                        }
                        return job.number();
                    });
            try {
                var failing = Senders.start(1, sender -> pool.sendMessage(new Job("a", 0, 5)));
                soon().until(() -> begun.size() == 1);
                var next = pool.sendMessageReturn(new Job("a", 1, 5));
                mayEnd.countDown();
                assertThat(Waits.on(next)).isEqualTo(1);
                mayClose.countDown();
                failing.join();
            } finally {
                mayClose.countDown();
            }
        }
    }

    /** Listed later, it might have a message of another thread by then, and another message would wait behind that. */
    @Promise("39.1")
    @Test
    void aWorkerIsListedBeforeAnotherThreadMayGiveItAMessage() {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var asked = new AtomicReference<CompletableFuture<Integer>>();
            var mailbox = Stereotypes.with(scope.named("jobs")
                    .mailbox(MailboxPolicy.bounded(10, OverflowPolicy.reject())))
                    .<Job, Integer>sharedMailbox();
            asked.set(mailbox.sendMessageReturn(new Job("a", 1)));
            var listed = new ArrayList<Worker<Job, Integer>>();
            var claims = new Claims<Job, Integer>(PoolOptions.<Job>fixed(1, 10).withWeight(5, job -> {
                asked.get().cancel(false); // the worker is to work, and the message is over
                return job.weight();
            }), mailbox, worker -> {
                assertThat(worker.list()).isTrue();
                listed.add(worker);
            });
            var worker = new Worker<Job, Integer>();
            worker.begin(1, scope.anonymous().newActorWithReturn((Job job) -> job.number()));
            assertThat(claims.give(worker)).isEqualTo(Claims.Given.EMPTY);
            assertThat(listed).containsExactly(worker);
            assertThat(worker.take()).isTrue();
            assertThat(claims.isDone(worker)).isTrue();
            assertThat(listed).as("a worker that another thread has taken").hasSize(1);
        }
    }
}
