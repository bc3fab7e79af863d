package io.fibry.cluster;

import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.Recipient;
import io.fibry.function.ContextReplyHandler;
import io.fibry.keyed.KeyedActors;
import io.fibry.pool.WorkerPool;
import io.fibry.time.Cancellable;
import io.fibry.topic.Topic;
import io.fibry.topic.TopicOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A node's part in a cluster. Keyed actors that are shared have one actor for each key in the whole cluster.
 *
 * <pre>{@code
 * static final ClusterGroup<Long, Command, Long> ACCOUNTS =
 *         ClusterGroup.of("accounts", Long.class, Command.class, Long.class, Command::account);
 *
 * try (var scope = ActorSystem.open("bank"); var cluster = Cluster.open(scope, ClusterOptions.alone())) {
 *     var accounts = cluster.share(ACCOUNTS, Stereotypes.with(scope.named("accounts"))
 *             .keyed(ACCOUNTS.keyOf()).newActorsWithReturnFrom(Account::new));
 *     long balance = accounts.sendMessageReturn(new Deposit(4711, 100)).get();
 * }
 * }</pre>
 *
 * <p>The options alone say whether there are other nodes. All else of the program is the same.
 *
 * <p>Thread-safe. What a thread does before it sends a message <i>happens-before</i> the handler receives it, on whatever node.
 */
public interface Cluster extends AutoCloseable {
    /**
     * Joins a cluster. Returns when this node is in it. Close the cluster before the scope, so that other nodes take
     * over what this one has.
     *
     * @param scope the scope of the actors that are shared
     * @param options with whom they are shared
     * @return this node's part in the cluster
     * @throws ClusterException if this node could not join
     */
    static Cluster open(ActorScope scope, ClusterOptions options) {
        Objects.requireNonNull(scope, "scope");
        return options.engine().<Cluster>map(engine -> JoinedCluster.open(scope, options, engine))
                .orElseGet(() -> new LoneCluster(scope, options));
    }

    /**
     * Returns this node.
     *
     * @return this node
     */
    ClusterNode self();

    /**
     * Returns the nodes that this node sees.
     *
     * @return the nodes, this one included; immutable
     */
    Set<ClusterNode> members();

    /**
     * Tells whether this node takes part: it is not cut off, as one without a lease is, and has not begun to leave.
     *
     * @return false if messages to shared actors are refused
     */
    boolean serves();

    /**
     * Returns what is left of the lease of each node: how long this node serves if the database does not answer
     * again, and how long it waits for a sign of each other node before it takes that node for lost.
     *
     * @return the leases of the nodes in view; empty if this node is alone, does not serve, or has an engine without leases
     */
    Map<ClusterNode, Duration> leases();

    /**
     * Returns the homes of all groups of the cluster, also of those that this node does not share. A node that is cut off
     * knows no homes.
     *
     * @return the groups that some node shares or has shared, in the order of their names
     */
    List<GroupHomes> homes();

    /**
     * Returns the home of a key: the node whose actor handles its messages, whether there is such an actor now or not.
     *
     * @param <K> type of the keys
     * @param group the group
     * @param key the key
     * @return its home, as this node has seen it; empty if the key moves, or no node shares the group, or this node is cut off
     */
    <K> Optional<ClusterNode> homeOf(ClusterGroup<K, ?, ?> group, K key);

    /**
     * Shares keyed actors with all nodes that share or reach a group of the same name. From now on they get messages
     * through the returned object alone: what is sent to {@code actors} directly is not sent to the home of its key,
     * and is lost when the key moves. If this node is alone, both are the same object.
     *
     * <p>If this node is the home of a key, the sending thread puts the message into the mailbox: neither message nor answer is
     * copied, so both should be immutable. Callbacks of the answer run on the turn of the actor and must not wait. If the node
     * is not alone, asks fail with a {@link RemoteException} if a handler throws, also asks sent to {@code actors} directly.
     *
     * <p>Durable actors are shared if they were made with {@code Durable.shared()} of the module {@code fibry-durable},
     * and all nodes have one store. The home of a key then sends the messages of its outbox and its reminders.
     *
     * @param <K> type of the keys
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param group the name and the types
     * @param actors the actors of this node, made by {@link io.fibry.Stereotypes}
     * @return what messages are sent to
     * @throws ClusterException if the types cannot cross, the actors must stay here, were stopped or are of another
     *         group, the name is in use, messages of an earlier share are still handled here, or this node has left
     */
    <K, M, R> KeyedActors<K, M, R> share(ClusterGroup<K, M, R> group, KeyedActors<K, M, R> actors);

    /**
     * Offers this node as the home of a singleton: one actor of that name in the whole cluster. One of the nodes that
     * offer themselves makes it at once, not at its first message. When its home leaves or is lost, another node makes
     * it anew; it does not move when nodes join. Messages reach it from each node that has called this method or
     * {@link #reach}, with the promises of keyed actors: {@link ClusterGroup#single} describes a group with one key.
     *
     * <pre>{@code
     * static final ClusterGroup<String, Job, Long> NIGHTLY = ClusterGroup.single("nightly", Job.class, Long.class);
     *
     * Recipient<Job, Long> nightly = cluster.singleton(NIGHTLY, scope.named("nightly"), Nightly::new);
     * }</pre>
     *
     * <p>The actor calls the supplier. If that throws, it is reported, and the next message calls it again. An {@code
     * AutoCloseable} handler is closed before the next home begins. An actor that has ended begins again with the next message.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param group what {@link ClusterGroup#single} returns
     * @param actor the builder of the actor, with its name, strategy, mailbox and failure policy
     * @param handler makes the handler; one without answers returns null
     * @return what messages are sent to
     * @throws ClusterException if the group has keys, its types cannot cross, the name is in use, or this node has left
     */
    <M, R> Recipient<M, R> singleton(ClusterGroup<String, M, R> group,
            ActorBuilder actor, Supplier<? extends ContextReplyHandler<M, R>> handler);

    /**
     * Lets other nodes use workers of this node. A sender's own node gets the message if it has an idle worker;
     * otherwise, of two nodes drawn at random, the one whose workers have less to do. {@link ClusterGroup#workers}
     * describes the group. A node without workers sends by {@link #reach}.
     *
     * <pre>{@code
     * static final ClusterGroup<String, Job, Image> PAINTERS = ClusterGroup.workers("painters", Job.class, Image.class);
     *
     * Recipient<Job, Image> painters = cluster.workers(PAINTERS,
     *         WorkerPool.openWithReturn(scope, "painters", PoolOptions.<Job>fixed(4, 1_000), job -> paint(job)));
     * }</pre>
     *
     * <p>A message that a full or stopping pool refuses goes to another node, until all have refused it. If there are no
     * workers, it waits up to its time limit. If its node is lost, its fate is uncertain; an ask of a {@link Repeatable}
     * message then goes to another node. Messages have no order. When this node leaves, the pool handles what it has and is
     * stopped. If a program stops it before, other workers may take its name. A pool whose policy blocks refuses nothing:
     * messages wait there. What is underway to all workers of the group takes no more than {@link ClusterOptions#sendBuffer}.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param group what {@link ClusterGroup#workers} returns
     * @param pool the workers of this node
     * @return what messages are sent to
     * @throws ClusterException if the group is not that of workers, its types cannot cross, the name is in use, or
     *         this node has left
     */
    <M, R> Recipient<M, R> workers(ClusterGroup<String, M, R> group, WorkerPool<M, R> pool);

    /**
     * Opens a topic on this node. What is published on a node goes to the subscribers of all nodes that have opened
     * it, once to each node, as {@link ClusterGroup#topic} describes.
     *
     * <pre>{@code
     * static final ClusterGroup<String, Price, Void> PRICES = ClusterGroup.topic("prices", Price.class);
     *
     * Topic<Price> prices = cluster.topic(PRICES, TopicOptions.defaults());
     * prices.subscribe(price -> show(price));
     * }</pre>
     *
     * <p>Each subscriber gets the messages of one publisher in order, if the delivery of the options keeps it. A node that
     * has not opened the topic, or is away, misses messages: there is no history, and the {@linkplain Topic#last() last
     * message} is the last one that came to this node. Watchers are told of messages that do not reach a node. {@link
     * Topic#publish} also counts the subscribers that other nodes have reported last. {@link Topic#publishTracked} has the
     * fates at all subscribers, those of other nodes as {@code node/subscriber}. A node that was lost has one fate, by its
     * name: {@linkplain io.fibry.message.MessageFate.Failed failed}, caused by an {@link UncertainException}; one that
     * tells no fates within {@link ClusterOptions#askLimit} as well, by an {@link io.fibry.AskTimeoutException}. If this
     * node is cut off, only its own subscribers have fates, and watchers are told {@code NOT_SERVED}.
     *
     * <p>If {@link ClusterOptions#sendBuffer} bytes are underway to a node, it misses messages, and publishers are
     * not held up. If the mailboxes of the options {@linkplain io.fibry.OverflowPolicy#block() block}, publishers
     * first wait for room, up to {@link ClusterOptions#roomLimit}.
     *
     * @param <M> type of the messages
     * @param group what {@link ClusterGroup#topic} returns; its name has no asterisk
     * @param options how messages are delivered on this node
     * @return the topic, which ends on this node when it is closed, or when this node leaves
     * @throws ClusterException if the group is not that of a topic, its types cannot cross, the name is in use, or
     *         this node has left
     */
    <M> Topic<M> topic(ClusterGroup<String, M, Void> group, TopicOptions options);

    /**
     * Reaches keyed actors, a singleton or workers that this node or other nodes share. A message waits until a node
     * shares them, up to its time limit.
     *
     * @param <K> type of the keys
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param group the name and the types
     * @return what messages are sent to
     * @throws ClusterException if the types cannot cross, the group is that of a topic, the name is that of something
     *         else, or this node has left, or is alone and does not share the group
     */
    <K, M, R> Recipient<M, R> reach(ClusterGroup<K, M, R> group);

    /**
     * Tells a watcher what happens, in order: first, that each node that is there has {@linkplain ClusterEvent.Joined
     * joined}. A watcher that falls far behind misses events, and is told {@linkplain ClusterEvent.Missed how many}.
     *
     * @param watcher runs in an actor of its own
     * @return ends the watching
     * @throws ClusterException if this node has left
     */
    Cancellable watch(Consumer<? super ClusterEvent> watcher);

    /**
     * Returns how many of the messages and asks that this node has sent are uncertain: their node was lost, and it is not
     * known whether they were handled. {@link ClusterEvent.Uncertain} tells of each such message, and each such ask fails.
     *
     * @return how many, since this node has joined
     */
    long uncertain();

    /**
     * Returns how many connections and messages this node has not understood. A connection is closed if it does not
     * begin as that of a node, or shows no trusted certificate; a message is dropped if no node of this version sends
     * it. The log names both. A connection that ends before it has sent anything does not count; nor does a message
     * for shared actors that their home does not understand: it is refused, and its sender is told.
     *
     * @return the number, since the engine of this node was made
     */
    long notUnderstood();

    /**
     * Leaves the cluster. Other nodes take over the keys of this node, each when its actor has handled what it has. Then
     * this node sends nothing more, waits until what it has sent is taken and its asks are answered, for half of the
     * time that is left at most, and says goodbye. Shared actors, workers and topics are stopped. The scope stays open.
     *
     * <p>Neither an interrupt nor the time limit of a handler that calls this method cuts it short; an interrupt
     * stays set. A handler of a shared actor must not wait for this method, which waits for the handler, until the
     * deadline: let it start a thread that leaves.
     *
     * @param deadline how long it may take; watchers that have not taken all events by then have two more seconds
     * @return false if something was not handed over in time, or the goodbye was not heard: others then take this
     *         node for lost. Also false if another call of this method has not returned yet, or has returned false
     * @throws IllegalArgumentException if the deadline is negative; then this node has not begun to leave
     */
    boolean leave(Duration deadline);

    /** Leaves, with the close time-out of the scope as the deadline. Does nothing if this node leaves already, or has left. */
    @Override
    void close();
}
