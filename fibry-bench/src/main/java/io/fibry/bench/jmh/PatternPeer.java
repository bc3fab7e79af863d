package io.fibry.bench.jmh;

import com.softwaremill.jox.Channel;
import io.fibry.Actor;
import io.fibry.ActorSystem;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.flow.FlowOptions;
import io.fibry.flow.Flows;
import io.fibry.flow.Generator;
import io.fibry.flow.StageOptions;
import io.fibry.fsm.StateMachine;
import io.fibry.fsm.StateRows;
import io.fibry.fsm.TransitionTable;
import io.fibry.pool.PoolOptions;
import io.fibry.pool.Router;
import io.fibry.pool.WorkerPool;
import io.fibry.topic.Topic;
import io.fibry.topic.TopicOptions;
import io.fibry.work.Batches;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** Pools, topics, flows and generators. Each message is an object of its own; the sender is the thread of JMH. */
public enum PatternPeer {
    /** A pool of {@value #WORKERS} actors. */
    POOL_FIBRY,
    /** A {@code ThreadPoolExecutor} of as many threads. */
    POOL_EXECUTOR,
    /** A round-robin pool of Apache Pekko, of as many actors. */
    POOL_PEKKO,
    /** A topic with {@value #SUBSCRIBERS} subscribers, each with an actor. */
    TOPIC_FIBRY,
    /** A {@code SubmissionPublisher} with as many subscribers, on the common pool. */
    TOPIC_SUBMISSION,
    /** The event stream of Apache Pekko, with as many actors. */
    TOPIC_PEKKO,
    /** A pipeline: a source, a stage, a consumer. */
    FLOW_FIBRY,
    /** A pipeline whose stage works on {@value #WORKERS} values at a time. */
    FLOW_PARALLEL,
    /** A {@code SubmissionPublisher}, a processor made of another one, and a subscriber. */
    FLOW_SUBMISSION,
    /** Reactor, where the stage and the consumer have a scheduler's worker each. */
    FLOW_REACTOR,
    /** A generator. */
    GENERATOR_FIBRY,
    /** A virtual thread that puts values into an {@code ArrayBlockingQueue}. */
    GENERATOR_VIRTUAL,
    /** A virtual thread that sends values to a buffered channel of jox. */
    GENERATOR_JOX,
    /** A flow of Kotlin on another dispatcher, with a buffer. */
    GENERATOR_KOTLIN,
    /** An actor that handles batches. */
    BATCH_FIBRY,
    /** A virtual thread that takes batches from a {@code LinkedBlockingQueue}. */
    BATCH_VIRTUAL,
    /** A router that chooses one of {@value #SUBSCRIBERS} actors by a key. */
    ROUTER_KEY,
    /** A router that gives each message to the next one of as many actors. */
    ROUTER_TURNS,
    /** A state machine that goes to the other one of two states with each message. */
    MACHINE,
    /** The same, whose states have a time-out that never comes. */
    MACHINE_TIMED,
    /** An actor that does nothing else with its messages. */
    PLAIN_ACTOR;

    /** The first number; {@code Integer} caches no number from it on. */
    public static final int FIRST = 1_000;
    static final int WORKERS = 2;
    static final int SUBSCRIBERS = 4;
    /** How many values may wait, in flows, generators and bounded topics. */
    static final int AHEAD = 256;
    /** How many messages a batch has at most, and how long it waits for them. */
    private static final int BATCH = 100;
    private static final Duration BATCH_WAIT = Duration.ofMillis(1);
    private static final Duration NEVER = Duration.ofDays(1);
    private static final int PATIENCE_SECONDS = 60;

    /**
     * Returns how many receivers handle each message.
     *
     * @return the number
     */
    public int receivers() {
        return name().startsWith("TOPIC_") ? SUBSCRIBERS : 1;
    }

    /**
     * Sends that many messages.
     *
     * @param messages how many
     * @return how many were handled, by all receivers together
     * @throws Exception any exception
     */
    public long use(int messages) throws Exception {
        return switch (this) {
            case POOL_FIBRY -> poolOfActors(messages);
            case POOL_EXECUTOR -> poolOfThreads(messages);
            case POOL_PEKKO -> PekkoPatterns.pool(messages);
            case TOPIC_FIBRY -> topic(messages);
            case TOPIC_SUBMISSION -> submissions(messages);
            case TOPIC_PEKKO -> PekkoPatterns.eventStream(messages);
            case FLOW_FIBRY -> pipeline(messages, StageOptions.usual(), StageOptions.usual());
            case FLOW_PARALLEL -> pipeline(messages, StageOptions.parallel(WORKERS).withCapacity(AHEAD),
                    StageOptions.usual().withCapacity(AHEAD));
            case FLOW_SUBMISSION -> processors(messages);
            case FLOW_REACTOR -> reactor(messages);
            case GENERATOR_FIBRY -> generator(messages);
            case GENERATOR_VIRTUAL -> queue(messages);
            case GENERATOR_JOX -> channel(messages);
            case GENERATOR_KOTLIN -> CoroutinePeers.generate(messages, AHEAD);
            case BATCH_FIBRY -> batchActor(messages);
            case BATCH_VIRTUAL -> batchesByHand(messages);
            case ROUTER_KEY -> route(messages, all -> Router.byKey("router", all, message -> message));
            case ROUTER_TURNS -> route(messages, all -> Router.roundRobin("router", all));
            case MACHINE -> machine(messages, false);
            case MACHINE_TIMED -> machine(messages, true);
            case PLAIN_ACTOR -> plainActor(messages);
        };
    }

    static void send(int messages, IntConsumer sender) {
        IntStream.range(FIRST, FIRST + messages).forEach(sender);
    }

    static void await(CountDownLatch all) throws InterruptedException {
        if (!all.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError(all.getCount() + " did not come to their end");
        }
    }

    private static long poolOfActors(int messages) {
        var handled = new LongAdder();
        try (var scope = ActorSystem.open("bench")) {
            var pool = WorkerPool.<Object>open(scope, "pool", PoolOptions.fixed(WORKERS, messages),
                    message -> handled.increment());
            send(messages, number -> pool.sendMessage(number));
            pool.stop(Duration.ofSeconds(PATIENCE_SECONDS));
        }
        return handled.sum();
    }

    private static long poolOfThreads(int messages) {
        var handled = new LongAdder();
        try (var pool = Executors.newFixedThreadPool(WORKERS)) {
            send(messages, number -> {
                var message = Integer.valueOf(number);
                pool.execute(() -> count(message, handled));
            });
        }
        return handled.sum();
    }

    private static void count(Object message, LongAdder handled) {
        if (message instanceof Integer) {
            handled.increment();
        }
    }

    private static long topic(int messages) {
        var handled = new LongAdder();
        try (var scope = ActorSystem.open("bench")) {
            var topic = Topic.<Object>open(scope, "topic", TopicOptions.defaults()
                    .withMailbox(MailboxPolicy.bounded(AHEAD, OverflowPolicy.block())));
            for (int i = 0; i < SUBSCRIBERS; i++) {
                topic.subscribe((Object message) -> handled.increment());
            }
            send(messages, number -> topic.publish(number));
            topic.stop(Duration.ofSeconds(PATIENCE_SECONDS));
        }
        return handled.sum();
    }

    private static long submissions(int messages) {
        var handled = new LongAdder();
        var ends = new ArrayList<CompletableFuture<Void>>();
        try (var publisher = new SubmissionPublisher<Object>(ForkJoinPool.commonPool(), AHEAD)) {
            for (int i = 0; i < SUBSCRIBERS; i++) {
                ends.add(publisher.consume(message -> handled.increment()));
            }
            send(messages, publisher::submit);
        }
        ends.forEach(CompletableFuture::join);
        return handled.sum();
    }

    private static long pipeline(int messages, StageOptions stage, StageOptions consumer)
            throws Exception {
        var handled = new LongAdder();
        try (var scope = ActorSystem.open("bench")) {
            var values = IntStream.range(FIRST, FIRST + messages).boxed();
            Flows.pipeline(scope, "flow", values).then(number -> number + 1, stage)
                    .forEach(number -> handled.increment(), consumer)
                    .result().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        return handled.sum();
    }

    private static long processors(int messages) {
        var handled = new LongAdder();
        CompletableFuture<Void> end;
        try (var second = new SubmissionPublisher<Integer>(ForkJoinPool.commonPool(), AHEAD)) {
            end = second.consume(number -> handled.increment());
            submitThrough(second, messages).join();
        }
        end.join();
        return handled.sum();
    }

    /** Submits numbers to a publisher whose subscriber submits the next number to another one. */
    private static CompletableFuture<Void> submitThrough(SubmissionPublisher<Integer> second, int messages) {
        try (var first = new SubmissionPublisher<Integer>(ForkJoinPool.commonPool(), AHEAD)) {
            var end = first.consume(number -> second.submit(number + 1));
            send(messages, first::submit);
            return end;
        }
    }

    private static long reactor(int messages) throws InterruptedException {
        var handled = new LongAdder();
        var end = new CountDownLatch(1);
        Flux.range(FIRST, messages).publishOn(Schedulers.parallel(), AHEAD).map(number -> number + 1)
                .publishOn(Schedulers.parallel(), AHEAD).doOnComplete(end::countDown)
                .subscribe(number -> handled.increment());
        await(end);
        return handled.sum();
    }

    private static long generator(int messages) {
        var count = 0L;
        try (var scope = ActorSystem.open("bench");
                var numbers = Generator.<Integer>open(scope, "numbers", FlowOptions.capacity(AHEAD),
                        output -> send(messages, output::yield))) {
            while (numbers.hasNext()) {
                count += numbers.next() >= FIRST ? 1 : 0;
            }
        }
        return count;
    }

    private static long queue(int messages) throws InterruptedException {
        var queue = new ArrayBlockingQueue<Integer>(AHEAD);
        Thread.startVirtualThread(() -> send(messages, number -> put(queue, number)));
        var count = 0L;
        while (count < messages) {
            count += queue.take() >= FIRST ? 1 : 0;
        }
        return count;
    }

    private static void put(ArrayBlockingQueue<Integer> queue, Integer number) {
        try {
            queue.put(number);
        } catch (InterruptedException nobodyDoesThat) {
            throw new IllegalStateException(nobodyDoesThat);
        }
    }

    private static long channel(int messages) throws InterruptedException {
        var channel = Channel.<Integer>newBufferedChannel(AHEAD);
        Thread.startVirtualThread(() -> {
            send(messages, number -> send(channel, number));
            channel.done();
        });
        var count = 0L;
        while (channel.receiveOrClosed() instanceof Integer number) {
            count += number >= FIRST ? 1 : 0;
        }
        return count;
    }

    private static void send(Channel<Integer> channel, Integer number) {
        try {
            channel.send(number);
        } catch (InterruptedException nobodyDoesThat) {
            throw new IllegalStateException(nobodyDoesThat);
        }
    }

    private static long batchActor(int messages) {
        var handled = new LongAdder();
        try (var scope = ActorSystem.open("bench")) {
            var actor = Batches.<Object>newActor(scope.anonymous(), BATCH, BATCH_WAIT,
                    batch -> handled.add(batch.size()));
            send(messages, number -> actor.sendMessage(number));
            actor.stop(Duration.ofSeconds(PATIENCE_SECONDS));
        }
        return handled.sum();
    }

    private static long batchesByHand(int messages) throws InterruptedException {
        var handled = new LongAdder();
        var queue = new LinkedBlockingQueue<Object>();
        var thread = Thread.startVirtualThread(() -> {
            while (handled.sum() < messages) {
                handled.add(takeBatch(queue).size());
            }
        });
        send(messages, queue::add);
        thread.join();
        return handled.sum();
    }

    private static List<Object> takeBatch(LinkedBlockingQueue<Object> queue) {
        var batch = new ArrayList<Object>(BATCH);
        try {
            batch.add(queue.take());
            var end = System.nanoTime() + BATCH_WAIT.toNanos();
            while (batch.size() < BATCH) {
                if (queue.drainTo(batch, BATCH - batch.size()) == 0) {
                    var next = queue.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                    if (next == null) {
                        return batch;
                    }
                    batch.add(next);
                }
            }
            return batch;
        } catch (InterruptedException nobodyDoesThat) {
            throw new IllegalStateException(nobodyDoesThat);
        }
    }

    private static long route(int messages, Function<List<Actor<Object, Void>>, Router<Object, Void>> maker) {
        var handled = new LongAdder();
        try (var scope = ActorSystem.open("bench")) {
            var all = IntStream.range(0, SUBSCRIBERS)
                    .mapToObj(i -> scope.anonymous().newActor((Object message) -> handled.increment()))
                    .toList();
            var router = maker.apply(all);
            send(messages, number -> router.sendMessage(number));
            all.forEach(each -> each.stop(Duration.ofSeconds(PATIENCE_SECONDS)));
        }
        return handled.sum();
    }

    /** The states of a machine. */
    private enum Side {
        LEFT, RIGHT
    }

    private static long machine(int messages, boolean timed) {
        var handled = new LongAdder();
        var table = TransitionTable.<Side, Integer>of(Side.class, Integer.class)
                .state(Side.LEFT, rows -> goTo(Side.RIGHT, rows, timed, handled))
                .state(Side.RIGHT, rows -> goTo(Side.LEFT, rows, timed, handled)).build(Side.LEFT);
        try (var scope = ActorSystem.open("bench")) {
            var machine = StateMachine.open(scope, "machine", table);
            send(messages, machine::send);
            machine.stop(Duration.ofSeconds(PATIENCE_SECONDS));
        }
        return handled.sum();
    }

    private static void goTo(Side other, StateRows<Side, Side, Integer, Object> rows, boolean timed,
            LongAdder handled) {
        rows.on(Integer.class).run((step, number) -> handled.increment()).goTo(other);
        if (timed) {
            rows.after(NEVER).goTo(other);
        }
    }

    private static long plainActor(int messages) {
        var handled = new LongAdder();
        try (var scope = ActorSystem.open("bench")) {
            var actor = scope.anonymous().newActor((Integer number) -> handled.increment());
            send(messages, actor::sendMessage);
            actor.stop(Duration.ofSeconds(PATIENCE_SECONDS));
        }
        return handled.sum();
    }
}
