package io.fibry.cluster;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.Recipient;
import io.fibry.Stereotypes;
import io.fibry.cluster.ClusterGroup.Kind;
import io.fibry.cluster.GroupsOfNode.Addition;
import io.fibry.cluster.GroupsOfNode.Shared;
import io.fibry.cluster.engine.ClusterEngine;
import io.fibry.cluster.engine.ClusterEngine.NodeInfo;
import io.fibry.cluster.engine.ClusterEngine.View;
import io.fibry.cluster.engine.EngineListener;
import io.fibry.cluster.home.GroupTables;
import io.fibry.event.Undelivered.Cause;
import io.fibry.function.ContextReplyHandler;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.cycles.RemoteWait;
import io.fibry.internal.keyed.SharedKeys;
import io.fibry.internal.keyed.SliceWork.HomeRow;
import io.fibry.internal.scope.ScopeSpec;
import io.fibry.internal.scope.TravellingContext;
import io.fibry.keyed.KeyedActors;
import io.fibry.pool.WorkerPool;
import io.fibry.time.Cancellable;
import io.fibry.topic.Topic;
import io.fibry.topic.TopicOptions;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A node among others: an engine, the actor of the member, and the groups. */
final class JoinedCluster implements Cluster, EngineListener {
    /** The tables that the member reads. A store in the memory of the cluster has others. */
    private static final List<String> TABLES = List.of(GroupTables.HOMES, GroupTables.HOSTS);
    /** How long a node may take to begin; longer than it takes to find that another one is lost. */
    private static final Duration BEGIN_LIMIT = Duration.ofSeconds(15);

    final ActorScope scope;
    final ActorScope inner;
    final ClusterOptions options;
    final ClusterEngine engine;
    final ClusterNode self;
    final LetterContext context;
    final NodesInView members = new NodesInView();
    final TableCopies tables;
    final MemberMailbox member;
    /** Calls listeners of the program, which may take long. */
    private final Actor<Runnable, Void> reports;
    final GroupsOfNode groups;
    final LoadsOfNodes loads;
    final Map<String, GroupRooms> rooms = new ConcurrentHashMap<>();
    final Watchers watchers;
    private final Leave leave;
    private final NodeDescription own;
    private final Cancellable dumped;
    final LongAdder uncertain = new LongAdder();
    /** Completed by the engine's thread, when this node is in a view that lets it begin. */
    private final CompletableFuture<Void> joined = new CompletableFuture<>();

    private JoinedCluster(ActorScope scope, ClusterOptions options, ClusterEngine engine,
            NodeDescription own) {
        this.own = own;
        this.scope = scope;
        this.options = options;
        this.engine = engine;
        self = new ClusterNode(UUID.randomUUID(), options.name(), options.hosts());
        context = new LetterContext(TravellingContext.of(scope));
        // With a strategy of their own, since these actors must go on while those of the program wait. They carry nothing, since the letters
        // have the context: what is current when one of these actors is told something belongs to another message, or to the engine.
        inner = ScopeSpec.serving(scope, "cluster", CreationStrategy.fibers()).ownStack().open();
        reports = inner.anonymous().newActor((Runnable report) -> report.run());
        tables = new TableCopies(engine, TABLES);
        groups = new GroupsOfNode(self);
        loads = new LoadsOfNodes(self.incarnation());
        watchers = new Watchers(new MembershipLog(self.name()));
        var handler = new MemberActor(this, new EngineCallers(inner, engine, this::put));
        Actor<Input, @Nullable Object> actor = inner.named("member").newActorWithReturn(handler);
        RemoteWait.reportTo(handler.outside(), actor);
        member = new MemberMailbox(actor);
        leave = new Leave(this);
        dumped = scope.addToDumps(() -> ClusterSection.of(this));
    }

    static JoinedCluster open(ActorScope scope, ClusterOptions options, ClusterEngine engine) {
        return open(scope, options, engine,
                new NodeDescription(options.name(), options.slices(), options.hosts()),
                BEGIN_LIMIT);
    }

    static JoinedCluster open(ActorScope scope, ClusterOptions options, ClusterEngine engine,
            NodeDescription own,
            Duration beginLimit) {
        var cluster = new JoinedCluster(scope, options, engine, own);
        try {
            // An engine that cannot join closes itself.
            var view = engine.start(new NodeInfo(cluster.self.incarnation(), own.bytes()), cluster);
            cluster.begin(view, beginLimit);
        } catch (Error failed) {
            cluster.end();
            throw failed;
        } catch (Exception failed) {
            cluster.end();
            if (failed instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new ClusterException("The node '" + options.name() + "' could not join its cluster: "
                    + failed.getMessage(), failed);
        }
        // For a program that forgets to leave: the others then take this node for lost.
        scope.closeOnExit(engine);
        return cluster;
    }

    /** Ends what is here of a cluster that was not joined. */
    private void end() {
        dumped.cancel();
        inner.close();
    }

    /** Lets the member work, unless the nodes that are there are not like this one. */
    private void begin(View view, Duration beginLimit) throws Exception {
        try {
            view.members().forEach(this::requireLike); // those that have joined at the same time
            try {
                joined.get(beginLimit.toNanos(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException over) {
                throw new ClusterException(!engine.view().majority()
                        ? "it is cut off, still after " + beginLimit + "; the log says why"
                        : "another node is called '" + own.name() + "', and it is still there after "
                                + beginLimit
                                + "; give each node a name of its own (FIBRY_NODE, or the first parameter of ClusterOptions.on)");
            }
            // The view has come before, so now this node serves.
            member.awaitBegin();
        } catch (Exception | Error failed) {
            // With a goodbye: the others need no majority without this node then.
            var unused = engine.leave(scope.closeTimeout());
            engine.close();
            throw failed;
        }
    }

    /** A process that was killed is a member until the others know that it is lost, and its successor may be called as it was. */
    private boolean hasNamesake(View view) {
        return view.members().stream().anyMatch(node -> !node.incarnation().equals(self.incarnation())
                && NodeDescription.of(node.description()).name().equals(self.name()));
    }

    void put(Input input) {
        var unused = member.put(input);
    }

    // ---- What the engine tells. ----

    @Override
    public void requireLike(NodeInfo other) {
        own.requireLike(NodeDescription.of(other.description()));
    }

    @Override
    public void viewChanged(View view, Set<UUID> left) {
        put(new Input.Viewed(view, left));
        // The thread that waits for this view sends Begin after it, so the member has the view first.
        if (!joined.isDone() && view.majority() && !hasNamesake(view)) {
            joined.complete(null);
        }
    }

    @Override
    public CompletionStage<?> ended() {
        return member.ask(new Input.AwaitEnd());
    }

    @Override
    public void received(UUID from, ByteBuffer bytes) {
        put(new Input.Arrived(from, bytes));
    }

    @Override
    public void entryChanged(String table, String key, byte @Nullable [] value) {
        if (TABLES.contains(table)) {
            put(new Input.EntryChanged(table, key));
        }
    }

    // ---- What the program asks for. ----

    @Override
    public ClusterNode self() {
        return self;
    }

    @Override
    public Set<ClusterNode> members() {
        return members.seen();
    }

    @Override
    public boolean serves() {
        return members.isMajority() && !groups.isLeaving() && !scope.isClosing();
    }

    @Override
    public Map<ClusterNode, Duration> leases() {
        var leases = engine.leases();
        return members.seen().stream().filter(node -> leases.containsKey(node.incarnation()))
                .collect(Collectors.toUnmodifiableMap(node -> node, node -> leases.get(node.incarnation())));
    }

    @Override
    public List<GroupHomes> homes() {
        return homesOfSlices().entrySet().stream()
                .map(group -> new GroupHomes(group.getKey(),
                        group.getValue().stream().map(home -> home.flatMap(this::seen)).toList()))
                .toList();
    }

    /** Returns the homes of the slices of each group. */
    Map<String, List<Optional<UUID>>> homesOfSlices() {
        return GroupTables.homes(tables.entries(GroupTables.HOMES), options.slices());
    }

    @Override
    public <K> Optional<ClusterNode> homeOf(ClusterGroup<K, ?, ?> group, K key) {
        var slices =
                new SliceOfKey(group.slices(options.slices()), value -> new GroupCodec<>(group).bytes(value));
        return GroupTables
                .home(tables.entry(GroupTables.HOMES, GroupTables.key(group.name(), slices.of(key))))
                .flatMap(this::seen);
    }

    /** Returns a node, if this one sees it and takes part. */
    private Optional<ClusterNode> seen(UUID home) {
        return takes()
                ? members.seen().stream().filter(node -> node.incarnation().equals(home)).findFirst()
                : Optional.empty();
    }

    /** Throws an exception if a node that this one sees shares something else of that name. */
    private void requireLike(ClusterGroup<?, ?, ?> group) {
        int kind = Sharing.number(group);
        GroupTables.hosts(tables.entries(GroupTables.HOSTS), group.name()).forEach((host, there) -> {
            var node = seen(host);
            if (there != kind && node.isPresent()) {
                throw Sharing.unlike(group, node.get(), there);
            }
        });
    }

    @Override
    public <K, M, R> KeyedActors<K, M, R> share(ClusterGroup<K, M, R> group, KeyedActors<K, M, R> actors) {
        var keys = Sharing.check(group, actors);
        Sharing.checkWork(group, keys);
        var codec = new GroupCodec<>(group);
        requireLike(group);
        try (var addition = groups.addition()) {
            addition.requireNew(group);
            Sharing.take(keys, group, actors);
            addition.add(new Shared(group, Optional.of(actors), actors::stop, () -> false, Optional.empty()),
                    keys::giveBack);
            var hosted = hosted(group, codec, actors, keys);
            var shared = new SharedActors<>(group, codec, keys, this, actors);
            keys.work().ifPresent(work -> work.share(hosted.homes(shared), shared));
            host(hosted);
            return shared;
        }
    }

    @Override
    public <M, R> Recipient<M, R> singleton(ClusterGroup<String, M, R> group, ActorBuilder actor,
            Supplier<? extends ContextReplyHandler<M, R>> handler) {
        Sharing.check(group, Kind.SINGLETON, "single");
        var codec = new GroupCodec<>(group);
        requireLike(group);
        try (var addition = groups.addition()) {
            addition.requireNew(group);
            var actors = Single.actors(group, actor, handler);
            addition.add(new Shared(group, Optional.of(actors), actors::stop, () -> false, Optional.empty()),
                    actors::close);
            var keys = Sharing.movable(group, actors);
            size(group);
            host(hosted(group, codec, actors, keys));
            return new GroupSender<>(group, codec, Optional.of(keys), this);
        }
    }

    private <K, M, R> HostedGroup<K, M, R> hosted(ClusterGroup<K, M, R> group, GroupCodec<K, M, R> codec,
            KeyedActors<K, M, R> actors, SharedKeys keys) {
        keys.tellFailures(new FailuresAtHome(group.name(), self),
                new LossesAtHome(group, actors.name(), this));
        return new HostedGroup<>(inner, group, codec, codec.slices(options.slices()), actors, keys, context,
                this::put, this::node, engine::serves, (slice, entry) -> engine.rows()
                        .map(rows -> new HomeRow(rows.database(), rows.cluster(), GroupTables.HOMES,
                                GroupTables.key(group.name(), slice), entry)));
    }

    private void host(HostedGroup<?, ?, ?> hosted) {
        if (options.hosts()) {
            rooms(hosted.group()).atHome(hosted);
            put(new Input.Host(hosted));
        }
    }

    @Override
    public <M, R> Recipient<M, R> workers(ClusterGroup<String, M, R> group, WorkerPool<M, R> pool) {
        Sharing.check(group, Kind.WORKERS, "workers");
        var codec = new GroupCodec<>(group);
        requireLike(group);
        try (var addition = groups.addition()) {
            addition.requireNew(group);
            if (options.hosts()) {
                host(addition, group, HostedHere.ofWorkers(group, codec, pool, this), () -> {
                });
            } else {
                addition.add(new Shared(group, Optional.of(pool), pool::stop,
                        () -> pool.onStopped().isDone(), Optional.empty()));
                size(group);
            }
            return new GroupSender<>(group, codec, Optional.empty(), this);
        }
    }

    @Override
    public <M> Topic<M> topic(ClusterGroup<String, M, Void> group, TopicOptions options) {
        Sharing.check(group, Kind.TOPIC, "topic");
        var codec = new GroupCodec<>(group);
        requireLike(group);
        try (var addition = groups.addition()) {
            addition.requireNew(group);
            var topic = Topic.<M>open(scope, group.name(), options);
            var here = HostedHere.ofTopic(group, codec, topic, this);
            host(addition, group, here, topic::close);
            // What is published from now on is to reach the nodes that have the topic, so this one must know them.
            member.awaitInAnyCase(new Input.Sized(group.name(), Kind.TOPIC));
            var blocks = options.mailbox() instanceof MailboxPolicy.Bounded bounded
                    && bounded.overflow() instanceof OverflowPolicy.Block;
            return new SharedTopic<>(topic, codec, new TopicSender(group, blocks, this),
                    deadline -> endTopic(here, deadline));
        }
    }

    /** Adds workers or a topic; if another thread was faster, ends them and undoes more. */
    private void host(Addition addition, ClusterGroup<?, ?, ?> group, HostedHere here, Runnable undo) {
        addition.add(new Shared(group, Optional.empty(), here.stop(), here::isOver, Optional.of(here)),
                () -> {
                    put(new Input.End(here, Optional.empty()));
                    undo.run();
                });
        size(group);
        put(new Input.Host(here));
        var unused = here.stopped().thenRun(() -> end(here));
    }

    /** Workers or a topic have ended, or are about to. When this node leaves, it ends all of them. */
    private void end(HostedHere here) {
        if (!groups.isLeaving()) {
            groups.remove(here);
            put(new Input.End(here, Optional.empty()));
        }
    }

    /** A topic is about to end: hands over what has come, if that is in time. Returns what is left of the time. */
    private Duration endTopic(HostedHere here, Duration deadline) {
        var end = nanoTime() + Durations.boundedNanos(deadline, "deadline");
        end(here);
        if (!groups.isLeaving() && !deadline.isZero()) {
            var unused = member.await(new Input.Await(here::hasEnded), deadline);
        }
        return Duration.ofNanos(Math.max(0, end - nanoTime()));
    }

    private void size(ClusterGroup<?, ?, ?> group) {
        group.kind().ifPresent(kind -> put(new Input.Sized(group.name(), kind)));
    }

    @Override
    public <K, M, R> Recipient<M, R> reach(ClusterGroup<K, M, R> group) {
        Sharing.checkReach(group);
        var codec = new GroupCodec<>(group);
        groups.requireMember(group);
        requireLike(group);
        groups.use(group);
        size(group);
        return new GroupSender<>(group, codec, Optional.empty(), this);
    }

    GroupRooms rooms(ClusterGroup<?, ?, ?> group) {
        return rooms.computeIfAbsent(group.name(), missing -> new GroupRooms(group.slices(options.slices())));
    }

    @Override
    public Cancellable watch(Consumer<? super ClusterEvent> watcher) {
        var watching = Sharing.watching(self, leave.isOver(), () -> watchers.watcher(inner, watcher));
        // What is refused from now on is told.
        member.awaitInAnyCase(new Input.Watch(watching));
        return () -> {
            watchers.remove(watching);
            return true;
        };
    }

    @Override
    public long uncertain() {
        return uncertain.sum();
    }

    @Override
    public long notUnderstood() {
        return engine.notUnderstood().count();
    }

    // ---- The end. ----

    @Override
    public boolean leave(Duration deadline) {
        return leave.leave(deadline);
    }

    /** Takes the node from the others, with a goodbye or without one. */
    void disconnect() {
        engine.close();
        dumped.cancel();
    }

    /** Hands actors over, unless they were handed over before, and waits for that until the deadline. */
    void unshare(String group, KeyedActors<?, ?, ?> actors, Duration deadline) {
        var unhost = new Input.Unhost(group, actors);
        put(unhost);
        var what = new Input.AwaitHandOver(Optional.of(unhost));
        if (member.await(what, deadline)) {
            groups.remove(group, actors);
        } else {
            // A handler may still be at work. Until it has ended, no other actor here may have its key.
            var unused = member.ask(what).thenRun(() -> groups.remove(group, actors));
        }
    }

    @Override
    public void close() {
        if (!groups.isLeaving()) {
            var unused = leave(scope.closeTimeout());
        }
    }

    // ---- What senders need. ----

    /** Whether messages may be sent: the node sees the majority, and has not handed over everything. */
    boolean takes() {
        return members.isMajority() && leave.sendsMore();
    }

    /** Returns a time of the scope's clock in nanoseconds. */
    long nanoTime() {
        return scope.time().nanoTime();
    }

    /** Tells watchers of a message that was refused before the member got it. */
    void tellNotHandled(String group, Object message, Cause cause) {
        tell(new ClusterEvent.NotHandled(group, message, cause));
    }

    /** Tells watchers something that the member does not tell. */
    void tell(ClusterEvent event) {
        if (!leave.isOver()) {
            watchers.tell(event);
        }
    }

    /** Runs code that may take long, on a thread of its own. */
    void aside(Runnable code) {
        try {
            var unused = Stereotypes.with(inner.anonymous()).runOnce(code::run);
        } catch (IllegalStateException closed) {
            code.run();
        }
    }

    /** Runs code that calls listeners of the program, not on the calling thread, and in the order of the calls. */
    void report(Runnable code) {
        if (!reports.sendMessage(code)) { // this node has left
            code.run();
        }
    }

    /** Returns a node that is there or was there. */
    ClusterNode node(UUID incarnation) {
        return incarnation.equals(self.incarnation()) ? self : members.node(incarnation);
    }

    @Override
    public String toString() {
        return "Cluster[" + self.name() + " of " + members.seen() + "]";
    }
}
