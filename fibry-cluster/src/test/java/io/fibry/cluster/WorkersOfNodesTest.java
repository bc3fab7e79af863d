package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.AskTimeoutException;
import io.fibry.MailboxFullException;
import io.fibry.OverflowPolicy;
import io.fibry.Recipient;
import io.fibry.Reply;
import io.fibry.Request;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.cluster.home.NodeLoad;
import io.fibry.event.Undelivered.Cause;
import io.fibry.function.ReplyHandler;
import io.fibry.message.MessageFate;
import io.fibry.pool.PoolOptions;
import io.fibry.pool.WorkerPool;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Workers of all nodes behind one handle. */
class WorkersOfNodesTest {
    private static final ClusterGroup<String, Job, String> JOBS =
            ClusterGroup.workers("jobs", Job.class, String.class);

    private final MemoryNetwork network = new MemoryNetwork();
    private final List<TestNode> nodes = new ArrayList<>();
    private final Map<String, AtomicInteger> handled = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<Integer> numbers = new ConcurrentLinkedQueue<>();
    private final CountDownLatch opened = new CountDownLatch(1);
    private final List<WorkerPool<Job, String>> pools = new ArrayList<>();

    sealed interface Job {
    }

    /** Answers with the name of the node. */
    record Where(int number) implements Job {
    }

    /** Is handled until the test opens a latch. */
    record Wait(int number) implements Job {
    }

    /** As {@link Wait}, and may be handled twice. */
    record WaitOrRepeat(int number) implements Job, Repeatable {
    }

    record Fail(String text) implements Job {
    }

    /** Fails as a full mailbox does. */
    record FailAsFull(String text) implements Job {
    }

    private TestNode node(String name) {
        return node(new TestNode(name, network.node()));
    }

    private TestNode node(TestNode node) {
        nodes.add(node);
        return node;
    }

    private ReplyHandler<Job, String> handler(String node) {
        return job -> {
            handled.computeIfAbsent(node, missing -> new AtomicInteger()).incrementAndGet();
            return switch (job) {
                case Where where -> {
                    numbers.add(where.number);
                    yield node;
                }
                case Wait wait -> {
                    opened.await();
                    yield node;
                }
                case WaitOrRepeat wait -> {
                    opened.await();
                    yield node;
                }
                case Fail fail -> throw new IllegalStateException(fail.text);
                case FailAsFull fail -> throw new MailboxFullException(fail.text);
            };
        };
    }

    private WorkerPool<Job, String> pool(ActorScope scope, String node, PoolOptions<Job> options) {
        var pool = WorkerPool.openWithReturn(scope, "jobs", options, handler(node));
        pools.add(pool);
        return pool;
    }

    private Recipient<Job, String> workers(TestNode node, PoolOptions<Job> options) {
        return node.cluster.workers(JOBS, pool(node.scope, node.cluster.self().name(), options));
    }

    /** Waits until a node knows so many nodes with workers: before that it sends to those alone that it knows. */
    private static void meet(TestNode node, int hosts) {
        soon().until(() -> ((JoinedCluster) node.cluster).loads.hosts(JOBS.name()).size() == hosts);
    }

    private int handledBy(String node) {
        return handled.getOrDefault(node, new AtomicInteger()).get();
    }

    private static PoolOptions<Job> fixed(int workers) {
        return PoolOptions.fixed(workers, 10_000);
    }

    private static PoolOptions<Job> full(int workers, int capacity) {
        return PoolOptions.<Job>fixed(workers, capacity).withOverflow(OverflowPolicy.reject());
    }

    private static Throwable failure(CompletableFuture<?> answer) {
        try {
            throw new AssertionError("answered " + Waits.on(answer));
        } catch (ExecutionException failed) {
            return failed.getCause();
        } catch (Exception other) {
            throw new AssertionError(other);
        }
    }

    @AfterEach
    void close() {
        opened.countDown();
        nodes.reversed().forEach(TestNode::close);
    }

    /** It was full when the message came there first, and has room when the node is lost that had the message. */
    @Promise("86.6")
    @Test
    void aNodeThatWasFullGetsWhatIsRepeated() throws Exception {
        var sender = node("a").cluster.reach(JOBS);
        var b = node("b");
        var c = node("c");
        node("d");
        node("e");
        var hasRoom = new CountDownLatch(1);
        var poolB = WorkerPool.<Job, String>openWithReturn(b.scope, "jobs",
                PoolOptions.<Job>fixed(1, 1).withOverflow(OverflowPolicy.reject()), job -> {
                    hasRoom.await();
                    return "b";
                });
        b.cluster.workers(JOBS, poolB);
        workers(c, PoolOptions.<Job>fixed(1, 100).withOverflow(OverflowPolicy.reject()));
        var poolC = pools.getFirst();
        poolB.sendMessage(new Wait(0));
        soon().until(() -> poolB.busy() == 1);
        poolB.sendMessage(new Wait(1));
        for (int i = 0; i < 10; i++) {
            poolC.sendMessage(new Wait(i));
        }
        var known = (JoinedCluster) nodes.getFirst().cluster;
        soon().until(
                () -> known.loads.loads(JOBS.name()).values().stream().mapToInt(NodeLoad::pending)
                        .sum() == 12);
        var asked = sender.sendMessageReturn(new WaitOrRepeat(1)); // b has less to do, and is full
        soon().until(() -> poolC.busy() + poolC.waiting() == 11);
        hasRoom.countDown();
        soon().until(() -> poolB.busy() + poolB.waiting() == 0);
        network.kill(c.engine);
        c.isDead = true;
        assertThat(Waits.on(asked)).isEqualTo("b");
    }

    @Promise("86.5")
    @Test
    void aTellWhileAPoolStopsWaitsForOtherWorkers() throws Exception {
        var sender = node("a").cluster.reach(JOBS);
        var b = node("b");
        workers(b, fixed(1));
        var pool = pools.getFirst();
        var waiting = sender.sendMessageReturn(new Wait(0));
        soon().until(() -> pool.busy() == 1);
        var stop = CompletableFuture.supplyAsync(() -> pool.stop(TestNode.LIMIT));
        soon().until(pool::isStopping);
        assertThat(sender.sendMessage(new Where(1))).isTrue();
        assertThat(Waits.on(sender.sendTracked(new Where(2), Duration.ofMillis(200))))
                .as("it has come after the other one, and waits").isInstanceOf(MessageFate.Expired.class);
        opened.countDown();
        assertThat(Waits.on(waiting)).isEqualTo("b");
        Waits.on(stop);
        workers(b, fixed(1));
        soon().until(() -> numbers.contains(1));
    }

    /** What waits for workers while the node is cut off is not counted as being on the way to its own. */
    @Promise("86.2")
    @Test
    void anIdleWorkerOfTheSenderIsPreferredAfterACutAsBefore() throws Exception {
        var a = node("a");
        var here = workers(a, fixed(1));
        workers(node("b"), fixed(1));
        node("c");
        meet(a, 2);
        var of = Map.of("a", pools.get(0), "b", pools.get(1));
        soon().until(() -> Waits.on(here.sendMessageReturn(new Where(0))).equals("a"));
        var answers = new ArrayList<CompletableFuture<String>>();
        for (int i = 0; i < 8; i++) {
            answers.add(here.sendMessageReturn(new WaitOrRepeat(i)));
        }
        soon().until(() -> of.values().stream().mapToInt(pool -> pool.busy() + pool.waiting()).sum() == 8);
        var atB = of.get("b").busy() + of.get("b").waiting();
        assertThat(atB).isPositive();
        network.cut(a.engine);
        soon().until(() -> answers.stream().filter(CompletableFuture::isDone).count() == atB);
        network.heal();
        soon().until(() -> a.cluster.serves() && a.cluster.members().size() == 3);
        opened.countDown();
        soon().until(() -> of.values().stream().allMatch(pool -> pool.busy() + pool.waiting() == 0));
        for (int i = 0; i < 30; i++) {
            soon().until(() -> of.get("a").busy() == 0);
            assertThat(Waits.on(here.sendMessageReturn(new Where(i)))).isEqualTo("a");
        }
    }

    @Promise("86.1")
    @Test
    void messagesOfAllKindsReachWorkersOfAnotherNode() throws Exception {
        var a = node("a");
        workers(a, fixed(2));
        var sender = node("b").cluster.reach(JOBS);
        assertThat(Waits.on(sender.sendMessageReturn(new Where(1)))).isEqualTo("a");
        assertThat(sender.sendMessage(new Where(2))).isTrue();
        assertThat(Waits.on(sender.sendTracked(new Where(3)))).isInstanceOf(MessageFate.Handled.class);
        assertThat(Waits.on(sender.sendTracked(new Fail("no")))).isInstanceOf(MessageFate.Failed.class);
        assertThat(failure(sender.sendMessageReturn(new Fail("out of paint"))))
                .isInstanceOf(RemoteException.class).hasMessageContaining("out of paint");
        soon().until(() -> numbers.size() == 3);
        assertThat(handledBy("a")).isEqualTo(5);
    }

    @Promise("86.1")
    @EveryStrategy
    void aloneTheyAreTheWorkersOfThisNode(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy); var cluster = Cluster.open(scope, ClusterOptions.alone())) {
            var pool = pool(scope, "alone", fixed(2));
            var jobs = cluster.workers(JOBS, pool);
            assertThat(jobs).isSameAs(pool);
            assertThat(Waits.on(cluster.reach(JOBS).sendMessageReturn(new Where(1)))).isEqualTo("alone");
            assertThat(cluster.homes()).isEmpty();
            assertThat(cluster.homeOf(JOBS, "")).isEmpty();
            assertThat(cluster.leave(TestNode.LIMIT)).isTrue();
            assertThat(jobs.sendMessage(new Where(1))).isFalse();
        }
    }

    @Promise("86.2")
    @Test
    void anIdleWorkerOfTheSenderIsPreferredAndTheOthersShareTheRest() throws Exception {
        var a = node("a");
        var here = workers(a, fixed(2));
        workers(node("b"), fixed(2));
        workers(node("c"), fixed(2));
        meet(a, 3);
        for (int i = 0; i < 20; i++) {
            soon().until(() -> pools.getFirst().busy() == 0); // a worker answers before it is idle
            assertThat(Waits.on(here.sendMessageReturn(new Where(i)))).isEqualTo("a");
        }
        var answers = new ArrayList<CompletableFuture<String>>();
        for (int i = 0; i < 60; i++) {
            answers.add(here.sendMessageReturn(new Wait(i)));
        }
        soon().until(() -> handledBy("a") == 22 && handledBy("b") == 2 && handledBy("c") == 2);
        opened.countDown();
        for (var answer : answers) {
            Waits.on(answer);
        }
        assertThat(handledBy("b")).isGreaterThan(5);
        assertThat(handledBy("c")).isGreaterThan(5);
        assertThat(handledBy("a") + handledBy("b") + handledBy("c")).isEqualTo(80);
    }

    @Promise("86.2")
    @Test
    void whatAFullPoolRefusesGoesToAnotherNodeAndIsRefusedWhenAllAreFull() throws Exception {
        workers(node("a"), full(1, 1));
        workers(node("b"), full(1, 1));
        var c = node("c");
        var sender = c.cluster.reach(JOBS);
        meet(c, 2);
        var answers = new ArrayList<CompletableFuture<String>>();
        for (int i = 0; i < 4; i++) { // two are handled, and two wait
            answers.add(sender.sendMessageReturn(new Wait(i)));
            var sent = i + 1;
            // A message that an idle worker has not taken yet has the only place to wait.
            soon().until(() -> atWorkers() == sent
                    && pools.stream().noneMatch(pool -> pool.busy() == 0 && pool.waiting() > 0));
        }
        assertThat(failure(sender.sendMessageReturn(new Wait(9)))).isInstanceOf(NotHandledException.class)
                .hasMessageContaining("as much to do as they may").hasMessageContaining("all other nodes");
        assertThat(Waits.on(sender.sendTracked(new Wait(10)))).isInstanceOfAny(MessageFate.Refused.class,
                MessageFate.Undelivered.class);
        opened.countDown();
        var by = new ArrayList<String>();
        for (var answer : answers) {
            by.add(Waits.on(answer));
        }
        assertThat(by).containsExactlyInAnyOrder("a", "a", "b", "b");
    }

    private int atWorkers() {
        return pools.stream().mapToInt(pool -> pool.busy() + pool.waiting()).sum();
    }

    /** The sender has heard nothing of a when it sends, so it draws a more often than a has room. */
    @Promise("86.2")
    @Test
    void whatIsSentAtOnceAndRefusedByOneIsHandledByAnother() throws Exception {
        workers(node("a"), full(1, 1));
        workers(node("b"), full(1, 1_000));
        var c = node("c");
        var sender = c.cluster.reach(JOBS);
        meet(c, 2);
        var answers = new ArrayList<CompletableFuture<String>>();
        var fates = new ArrayList<CompletableFuture<MessageFate>>();
        for (int i = 0; i < 40; i++) {
            answers.add(sender.sendMessageReturn(new Wait(i)));
            fates.add(sender.sendTracked(new Wait(i)));
        }
        soon().until(() -> atWorkers() == 80);
        opened.countDown();
        for (int i = 0; i < 40; i++) {
            assertThat(Waits.on(answers.get(i))).isIn("a", "b");
            assertThat(Waits.on(fates.get(i))).isInstanceOf(MessageFate.Handled.class);
        }
    }

    @Promise("86.2")
    @Test
    void aTrackedMessageThatAFullPoolRefusesGoesToAnotherNode() throws Exception {
        var a = node("a");
        var here = workers(a, full(1, 1));
        var b = node("b");
        workers(b, full(1, 1_000));
        var full = pools.getFirst();
        assertThat(full.sendMessage(new Wait(1))).isTrue();
        soon().until(() -> handledBy("a") == 1);
        assertThat(full.sendMessage(new Wait(2))).isTrue();
        soon().until(() -> here.sendMessageReturn(new Where(0)).handle((by, no) -> "b".equals(by)).join());
        for (int i = 0; i < 100; i++) {
            assertThat(Waits.on(here.sendTracked(new Where(i)))).isInstanceOf(MessageFate.Handled.class);
        }
    }

    @Promise("86.2")
    @Test
    void aNodeWhoseWorkersAreDoneIsPreferredToOneWhoseWorkersAreNot() throws Exception {
        workers(node("a"), fixed(1));
        var b = node("b");
        workers(b, fixed(1));
        var slow = pools.getLast();
        for (int i = 0; i < 20; i++) {
            assertThat(slow.sendMessage(new Wait(i))).isTrue();
        }
        var c = node("c");
        // Nobody on this node has named the group yet, and what is told once is not told again.
        soon().until(() -> ((JoinedCluster) c.cluster).loads.loads(JOBS.name())
                .getOrDefault(b.cluster.self().incarnation(), NodeLoad.NONE).pending() == 20);
        var sender = c.cluster.reach(JOBS);
        meet(c, 2);
        for (int i = 0; i < 300; i++) {
            assertThat(Waits.on(sender.sendMessageReturn(new Where(i)))).isEqualTo("a");
        }
    }

    @Promise("86.2")
    @Test
    void aPoolThatThrowsHarmsItsMessageAlone() throws Exception {
        var options = full(1, 10).withWeight(1, job -> {
            if (job instanceof Fail fail) {
                throw new IllegalStateException(fail.text);
            }
            return 1;
        });
        workers(node("a"), options);
        var b = node("b");
        var sender = b.cluster.reach(JOBS);
        assertThat(failure(sender.sendMessageReturn(new Fail("too heavy"))))
                .isInstanceOf(RemoteException.class)
                .hasMessageContaining("too heavy");
        assertThat(sender.sendMessage(new Fail("too heavy"))).isTrue();
        soon().until(() -> b.events(ClusterEvent.NotHandled.class).size() == 1);
        assertThat(Waits.on(sender.sendMessageReturn(new Where(1)))).isEqualTo("a");
    }

    @Promise("86.2")
    @Test
    void aHandlerThatFailsAsAFullMailboxDoesIsNotAskedTwice() {
        workers(node("a"), fixed(1));
        workers(node("b"), fixed(1));
        var sender = node("c").cluster.reach(JOBS);
        assertThat(failure(sender.sendMessageReturn(new FailAsFull("my printer is full"))))
                .isInstanceOf(RemoteException.class).hasMessageContaining("my printer is full");
        assertThat(handledBy("a") + handledBy("b")).isEqualTo(1);
    }

    @Promise("86.2")
    @Test
    void whatIsUnderwayToWorkersIsLimited() throws Exception {
        var deaf = new DeafEngine(network.node());
        workers(node(new TestNode("b", deaf)), fixed(1));
        var options = ClusterOptions.on("c", network.node()).slices(16).askLimit(TestNode.LIMIT)
                .sendBuffer(10_000).roomLimit(Duration.ofMillis(50));
        var c = node(new TestNode(ActorSystem.open("c"), options));
        var sender = c.cluster.reach(JOBS);
        assertThat(Waits.on(sender.sendMessageReturn(new Where(1)))).isEqualTo("b");
        deaf.isDeaf = true;
        var text = "x".repeat(1_000);
        var sent = 0;
        while (sent < 50 && sender.sendMessage(new Fail(text))) {
            sent++;
        }
        assertThat(sent).isBetween(5, 10);
        soon().until(() -> c.events(ClusterEvent.NotHandled.class).size() == 1);
        assertThat(c.events(ClusterEvent.NotHandled.class).getFirst().cause()).isEqualTo(Cause.SLOW_NODE);
        deaf.isDeaf = false;
        soon().until(() -> Waits.on(sender.sendTracked(new Where(2))) instanceof MessageFate.Handled);
        assertThat(Waits.on(sender.sendMessageReturn(new Where(3)))).isEqualTo("b");
    }

    @Promise("86.1")
    @Test
    void messagesWaitForTheFirstWorkersAndNoLongerThanTheirTime() throws Exception {
        var a = node("a");
        var sender = a.cluster.reach(JOBS);
        assertThat(failure(sender.ask(new Where(1), Duration.ofMillis(50))))
                .isInstanceOf(AskTimeoutException.class);
        assertThat(Waits.on(sender.sendTracked(new Where(1), Duration.ofMillis(50))))
                .isInstanceOf(MessageFate.Expired.class);
        assertThat(sender.sendMessage(new Where(1), Duration.ofMillis(50))).isTrue();
        soon().until(() -> a.events(ClusterEvent.Expired.class)
                .equals(List.of(new ClusterEvent.Expired("jobs", new Where(1), Duration.ofMillis(50)))));
        var answer = sender.sendMessageReturn(new Where(2));
        assertThat(sender.sendMessage(new Where(3))).isTrue();
        workers(node("b"), fixed(1));
        assertThat(Waits.on(answer)).isEqualTo("b");
        soon().until(() -> numbers.size() == 2);
        assertThat(numbers).containsExactlyInAnyOrder(2, 3);
    }

    @Promise("86.5")
    @Test
    void aNodeThatLeavesLetsItsWorkersHandleWhatTheyHaveAndTheOthersGetTheRest() throws Exception {
        var a = node("a");
        var pool = pool(a.scope, "a", fixed(1));
        a.cluster.workers(JOBS, pool);
        var sender = node("c").cluster.reach(JOBS);
        var first = sender.sendMessageReturn(new Wait(1));
        var second = sender.sendMessageReturn(new Wait(2));
        soon().until(() -> pool.busy() + pool.waiting() == 2);
        workers(node("b"), fixed(1));
        var leaving = CompletableFuture.supplyAsync(() -> a.cluster.leave(TestNode.LIMIT));
        soon().until(() -> !pool.sendMessage(new Where(0)));
        var third = sender.sendMessageReturn(new Where(3));
        assertThat(Waits.on(third)).isEqualTo("b");
        opened.countDown();
        assertThat(Waits.on(first)).isEqualTo("a");
        assertThat(Waits.on(second)).isEqualTo("a");
        assertThat(Waits.on(leaving)).isTrue();
    }

    @Promise("86.5")
    @Test
    void noAskFailsAndNoneIsHandledTwiceWhileNodesComeAndLeave() throws Exception {
        var sender = node("sender").cluster.reach(JOBS);
        var before = node("n0");
        workers(before, full(2, 8));
        var isOver = new AtomicBoolean();
        var sent = new AtomicInteger();
        var asking = CompletableFuture.supplyAsync(() -> {
            var failures = new ArrayList<Throwable>();
            while (!isOver.get()) {
                var answers = new ArrayList<CompletableFuture<String>>();
                for (int i = 0; i < 8; i++) { // no more than one pool has room for
                    answers.add(sender.sendMessageReturn(new Where(sent.getAndIncrement())));
                }
                answers.forEach(answer -> answer
                        .handle((by, failure) -> failure == null || failures.add(failure)).join());
            }
            return failures;
        });
        try {
            for (int i = 1; i <= 8; i++) {
                var next = node("n" + i);
                workers(next, full(2, 8));
                var name = "n" + i;
                soon().until(() -> handledBy(name) > 10);
                assertThat(before.cluster.leave(TestNode.LIMIT)).isTrue();
                before = next;
            }
        } finally {
            isOver.set(true);
        }
        assertThat(Waits.on(asking)).isEmpty();
        assertThat(numbers).hasSize(sent.get()).doesNotHaveDuplicates();
    }

    @Promise("86.5")
    @Test
    void aPoolThatAProgramStopsGetsNothingAnyMore() throws Exception {
        var a = node("a");
        var pool = pool(a.scope, "a", fixed(1));
        var here = a.cluster.workers(JOBS, pool);
        workers(node("b"), fixed(1));
        pool.close();
        for (int i = 0; i < 20; i++) {
            assertThat(Waits.on(here.sendMessageReturn(new Where(i)))).isEqualTo("b");
        }
        assertThat(Waits.on(workers(a, fixed(1)).sendMessageReturn(new Where(1)))).isIn("a", "b");
    }

    @Promise("86.5")
    @Test
    void workersOfTheSameNameMayBeSharedWhenTheOldOnesHaveStopped() throws Exception {
        var a = node("a");
        try (var scope = ActorSystem.open("alone"); var alone = Cluster.open(scope, ClusterOptions.alone())) {
            for (int i = 0; i < 300; i++) {
                var pool = pool(a.scope, "a", fixed(1));
                assertThat(Waits.on(a.cluster.workers(JOBS, pool).sendMessageReturn(new Where(i))))
                        .isEqualTo("a");
                assertThat(pool.stop(TestNode.LIMIT).stopped()).isTrue();
                var other = pool(scope, "alone", fixed(1));
                alone.workers(JOBS, other);
                assertThat(other.stop(TestNode.LIMIT).stopped()).isTrue();
            }
        }
    }

    @Promise("86.6")
    @Test
    void whatALostNodeHadIsUncertainAndIsRepeatedIfItMayBe() throws Exception {
        var a = node("a");
        workers(a, fixed(2));
        var c = node("c");
        var sender = c.cluster.reach(JOBS);
        var lost = sender.sendMessageReturn(new Wait(1));
        var repeated = sender.sendMessageReturn(new WaitOrRepeat(2));
        soon().until(() -> handledBy("a") == 2);
        workers(node("b"), fixed(1));
        network.kill(a.engine);
        a.isDead = true;
        assertThat(failure(lost)).isInstanceOf(UncertainException.class).hasMessageContaining("'a' was lost");
        soon().until(() -> handledBy("b") == 1);
        opened.countDown();
        assertThat(Waits.on(repeated)).isEqualTo("b");
        assertThat(c.cluster.uncertain()).isEqualTo(1);
    }

    @Promise("86.5")
    @Test
    void whatIsNotForWorkersIsRefused() throws Exception {
        var a = node("a");
        try (var scope = ActorSystem.open("alone"); var alone = Cluster.open(scope, ClusterOptions.alone())) {
            for (var cluster : List.of(alone, a.cluster)) {
                var pool = pool(scope, "x" + cluster.self().name(), fixed(1));
                assertThatThrownBy(() -> cluster.workers(
                        ClusterGroup.of("keyed", String.class, Job.class, String.class, String::valueOf),
                        pool))
                        .isInstanceOf(ClusterException.class)
                        .hasMessageContaining("'keyed' has keys, so it is not that of workers");
                assertThatThrownBy(() -> cluster.workers(
                        ClusterGroup.single("one", Job.class, String.class), pool))
                        .isInstanceOf(ClusterException.class)
                        .hasMessageContaining("'one' is that of a singleton; give it to Cluster.singleton");
                assertThatThrownBy(() -> cluster.singleton(JOBS, scope.anonymous(), () -> (self, job) -> ""))
                        .isInstanceOf(ClusterException.class)
                        .hasMessageContaining("'jobs' is that of workers; give it to Cluster.workers");
                cluster.workers(JOBS, pool);
                assertThatThrownBy(() -> cluster.workers(JOBS, pool)).isInstanceOf(ClusterException.class)
                        .hasMessageContaining("shares a group 'jobs' already");
                cluster.leave(TestNode.LIMIT);
                assertThatThrownBy(() -> cluster.workers(JOBS, pool)).isInstanceOf(ClusterException.class)
                        .hasMessageContaining("has left");
            }
        }
    }

    record Twice(int number) implements Request<Integer> {
    }

    @Promise("86.1")
    @Test
    void requestsAreAnsweredWithTheirTypes() throws Exception {
        var twice = ClusterGroup.workers("twice", Twice.class, Reply.class).with(Integer.class);
        var a = node("a");
        a.cluster.workers(twice,
                WorkerPool.<Twice, Reply>openWithReturn(a.scope, "twice", PoolOptions.fixed(1, 10),
                        request -> request.reply(2 * request.number)));
        assertThat(Waits.on(node("b").cluster.reach(twice).request(new Twice(21)))).isEqualTo(42);
    }
}
