package io.fibry.cluster;

import io.fibry.ActorContext;
import io.fibry.cluster.engine.ClusterEngine.Change;
import io.fibry.cluster.engine.NotUnderstood;
import io.fibry.cluster.home.ClusterMember;
import io.fibry.cluster.home.Fate;
import io.fibry.cluster.home.GroupTables;
import io.fibry.cluster.home.HomeDelivery;
import io.fibry.cluster.home.Letter;
import io.fibry.cluster.home.NodeLoad;
import io.fibry.cluster.home.SliceMoves;
import io.fibry.cluster.home.Surroundings;
import io.fibry.cluster.stream.BadFrameException;
import io.fibry.function.ContextReplyHandler;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.cycles.RemoteWait;
import io.fibry.internal.cycles.RemoteWaits;
import io.fibry.message.DeferredReply;
import io.fibry.time.TimeSource;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The handler of the actor that has the node's {@link ClusterMember}: what comes from the engine, from senders and from
 * the actors that are shared goes into its mailbox, so the member needs no lock. It never waits, and gives answers,
 * fates and what listeners are told to other threads. The code of the program that it runs is that of keys, which tell
 * their fields, their hash and their text, and, where actors run on the threads of their callers, that of their exits.
 */
final class MemberActor implements ContextReplyHandler<Input, @Nullable Object>, Surroundings {
    private static final Logger LOGGER = LoggerFactory.getLogger(MemberActor.class);
    private static final Duration TICK = Duration.ofMillis(20);
    /** For how long messages are counted. */
    private static final long COUNTED = Duration.ofSeconds(10).toNanos();
    /** For how long a node must be much busier than others before slices move. */
    private static final long REST = Duration.ofSeconds(30).toNanos();
    /** So many frequent inputs leave something to do before it is done. */
    private static final int MOST_TOGETHER = 64;

    private final UUID self;
    private final ClusterMember member;
    private final Circles circles;
    private final SliceMoves moves = new SliceMoves();
    private final NodesInView members;
    private final Map<String, GroupRooms> rooms;
    private final MembershipLog log;
    private final TableCopies tables;
    private final EngineCallers callers;
    private final TimeSource time;
    private final Duration moveLimit;
    private final Consumer<Input> mailbox;
    private final LoadsOfNodes loads;
    private final Map<String, Hosted> groups = new HashMap<>();
    private final Watchers watchers;
    private final NotUnderstood notUnderstood;
    private final List<Awaited> awaited = new ArrayList<>();
    /** The groups of which the input that is handled has halted slices. */
    private final Set<HostedGroup<?, ?, ?>> halted = new HashSet<>();
    private long lastAsk;
    private long lastView;
    private long countBegin;
    private boolean isSilent;
    /** How many inputs have left something to do. */
    private int together;
    /** Whether the input that is handled leaves what it has for other nodes, and more, to a later one. */
    private boolean isLeft;
    /** Whether an {@link Input.Finish} is in the mailbox, behind the inputs that were there when something was first left. */
    private boolean awaitsFinish;
    private final RandomGenerator random = new SplittableRandom();

    /** A caller that waits for a condition. */
    private record Awaited(BooleanSupplier isComplete, DeferredReply<@Nullable Object> reply) {
        boolean isOver() {
            return reply.isDone() || (isComplete.getAsBoolean() && reply.complete(null));
        }
    }

    MemberActor(JoinedCluster cluster, EngineCallers callers) {
        self = cluster.self.incarnation();
        members = cluster.members;
        rooms = cluster.rooms;
        log = new MembershipLog(cluster.self.name());
        tables = cluster.tables;
        loads = cluster.loads;
        watchers = cluster.watchers;
        notUnderstood = cluster.engine.notUnderstood();
        this.callers = callers;
        time = cluster.scope.time();
        moveLimit = cluster.options.moveLimit();
        mailbox = cluster::put;
        member = new ClusterMember(self, cluster.options.slices(),
                Durations.boundedNanos(moveLimit, "moveLimit"), this);
        circles = new Circles(cluster.self, member, groups.values(), time);
    }

    /** Hears of actors that begin to wait for an ask of this node. */
    RemoteWaits outside() {
        return circles;
    }

    @Override
    public @Nullable Object handle(ActorContext<Input, @Nullable Object> context, Input input) {
        var now = time.nanoTime();
        isLeft = input instanceof Input.Frequent && together < MOST_TOGETHER;
        switch (input) {
            case Input.Begin begin -> {
                countBegin = now;
                context.timers().fixedDelay("tick", TICK, new Input.Tick());
            }
            case Input.Tick tick -> {
                member.tick(now);
                circles.tick(now);
                balance(now);
                loads.tell(groups.values(), (node, group, load) -> member.note(node, group, load, now));
                moves.take().forEach(this::tell);
                watchers.tick();
            }
            case Input.Probed probed -> circles.arrived(probed, now);
            case Input.Viewed viewed -> see(viewed, now);
            case Input.Arrived arrived -> receive(arrived, now);
            case Input.EntryChanged changed -> {
                read(changed.table(), changed.key(), now);
                member.entryChanged(changed.table(), changed.key(), now);
            }
            case Input.Proposed proposed -> {
                for (int i = 0; i < proposed.changes().size(); i++) {
                    var change = proposed.changes().get(i);
                    read(change.table(), change.key(), now);
                    member.changed(change, proposed.outcomes().get(i), now);
                }
            }
            case Input.LineFree free -> {
                // Frames are sent where all inputs end.
            }
            case Input.Finish finish -> awaitsFinish = false;
            case Input.Send send -> send(context, send.outgoing(), now);
            case Input.GiveUp given -> giveUp(given.outgoing(), now);
            case Input.Host host -> {
                groups.put(host.group().name(), host.group());
                member.host(host.group().name(), true, now);
            }
            case Input.Sized sized ->
                member.describe(sized.group(), sized.kind().slices(), sized.kind().number);
            case Input.Unhost unhost -> {
                if (isHosted(unhost)) {
                    member.host(unhost.group(), false, now);
                }
            }
            case Input.End end -> {
                var group = end.group();
                if (groups.get(group.name()) == group) {
                    member.host(group.name(), false, now);
                }
                group.end(end.deadline());
            }
            case Input.Settled settled -> member.settle(settled.delivery(), settled.verdict(), now);
            case Input.Answered answered -> {
                if (answered.delivery().ask() != 0) {
                    member.answer(answered.delivery(), answered.body(), now);
                }
            }
            case Input.Drained drained -> {
                if (drained.group().isNewest(drained)) {
                    member.drained(drained.group().name(), drained.slice(), now);
                }
            }
            case Input.Watch watch -> {
                members.seen().forEach(node -> watch.watcher().tell(new ClusterEvent.Joined(node)));
                watchers.add(watch.watcher()); // after that: any thread may tell it of refused messages now
            }
            case Input.Await await -> awaited.add(new Awaited(await.isTrue(), context.deferReply()));
            case Input.AwaitHandOver await ->
                awaited.add(new Awaited(
                        await.group().<BooleanSupplier>map(
                                last -> () -> !isHosted(last) || member.hasHandedOver(last.group()))
                                .orElse(this::isGone),
                        context.deferReply()));
            case Input.AwaitEnd await -> awaited.add(new Awaited(member::hasEnded, context.deferReply()));
            case Input.AwaitSilence await ->
                awaited.add(new Awaited(() -> isSilent(await.lettersEnd()), context.deferReply()));
            case Input.Closed closed ->
                member.viewChanged(lastView + 1, Set.of(self), false, Set.of(), now);
            case Input.Flush flush -> {
                member.giveUp(now);
                watchers.tellFates();
                watchers.flush();
            }
        }
        halted.forEach(HostedGroup::endHalted);
        halted.clear();
        if (isLeft) {
            leave();
        } else {
            finish(now);
        }
        return null;
    }

    /** Lets slices follow load. */
    private void balance(long now) {
        var counted = now - countBegin;
        if (counted >= COUNTED) {
            countBegin = now;
            groups.values().forEach(group -> {
                if (group instanceof HostedGroup<?, ?, ?> hosted) {
                    member.balance(hosted.name(), hosted.takeLoads((double) COUNTED / counted), REST, now);
                }
            });
        }
    }

    private void leave() {
        watchers.tellFates();
        together++;
        if (!awaitsFinish) {
            awaitsFinish = true;
            mailbox.accept(new Input.Finish());
        }
    }

    /** Does what this input and those before it have left to do. */
    private void finish(long now) {
        together = 0;
        member.transmitNow(now);
        callers.change(member::wants);
        watchers.tellFates();
        // What makes room is told to this actor, or an answer that it has seen: at the latest the next tick finds it.
        awaited.removeIf(Awaited::isOver);
    }

    /** Whether the group is still that which is handed over. */
    private boolean isHosted(Input.Unhost unhost) {
        return groups.get(unhost.group()) instanceof HostedGroup<?, ?, ?> hosted
                && hosted.actors() == unhost.actors();
    }

    private boolean isGone() {
        return groups.values().stream().noneMatch(group -> group instanceof HostedHere here && here.isBusy())
                && member.isGone();
    }

    private boolean isSilent(long lettersEnd) {
        if (!isSilent && isGone() && (time.nanoTime() - lettersEnd >= 0 || !isOccupied())
                && member.hasHandedOver()) {
            isSilent = true;
            member.refuseHeld();
        }
        return isSilent;
    }

    /** Whether this node has letters without a verdict, or asks without an answer. */
    private boolean isOccupied() {
        return member.hasLetters() || member.awaitsAnswers();
    }

    private void read(String table, String key, long now) {
        tables.read(table, key);
        moves.entry(table, key, tables.entry(table, key), now);
    }

    private void tell(SliceMoves.Move move) {
        watchers.tell(new ClusterEvent.Moved(move.group(), Collections.unmodifiableSortedSet(move.slices()),
                members.node(move.from()), members.node(move.to()), Duration.ofNanos(move.nanos())));
    }

    private void see(Input.Viewed viewed, long now) {
        var view = viewed.view();
        var nodes = view.members().stream().map(info -> info.incarnation())
                .collect(Collectors.toUnmodifiableSet());
        if (view.majority()) {
            tables.readAll();
            tables.entries(GroupTables.HOMES)
                    .forEach((key, value) -> moves.entry(GroupTables.HOMES, key, value, now));
            moves.members(nodes, now);
        }
        lastView = view.number();
        callers.keep(nodes);
        loads.see(nodes);
        rooms.values().forEach(group -> group.keep(nodes));
        member.viewChanged(view.number(), nodes, view.majority(), viewed.left(), now);
        members.see(view, viewed.left(), event -> {
            log.write(event);
            watchers.tell(event);
        });
    }

    private void receive(Input.Arrived arrived, long now) {
        try {
            member.received(arrived.from(), arrived.bytes(), now);
        } catch (BadFrameException bad) {
            notUnderstood.add("A message from node '" + members.node(arrived.from()).name()
                    + "' was dropped: " + bad.getMessage());
        }
    }

    // ---- Senders. ----

    private void send(ActorContext<Input, @Nullable Object> context, Outgoing outgoing, long now) {
        if (!outgoing.begin()) {
            return; // its time was over at this moment
        }
        if (outgoing.isAsk()) {
            var reply = context.deferReply();
            outgoing.reply = reply;
            RemoteWait.answers(reply, outgoing);
            var unused = reply.onDone().thenRun(() -> mailbox.accept(new Input.GiveUp(outgoing)));
        }
        if (isSilent) { // the sender has called takes() before that
            outgoing.forget();
            outgoing.sender.arrived(outgoing);
            outgoing.sender.told(outgoing, new Fate.NotServed());
            return;
        }
        var ask = outgoing.body.want() == LetterBody.Want.TELL ? 0 : ++lastAsk;
        // The limit of an ask begins when its sender waits for the answer.
        var deadline = outgoing.isAsk() ? context.timeLeft()
                .map(left -> now + Durations.boundedNanos(left, "limit")).orElse(Letter.NO_DEADLINE)
                : outgoing.deadline;
        var group = outgoing.sender.name();
        var body = outgoing.body.bytes();
        var letter = outgoing.to != null ? Letter.to(outgoing.to, group, ask, deadline, body, outgoing)
                : new Letter(group, outgoing.slice, ask, deadline, body, outgoing,
                        isRepeatable(outgoing));
        outgoing.letter = letter;
        member.send(letter, now);
    }

    private void giveUp(Outgoing outgoing, long now) {
        if (!outgoing.isOver && outgoing.letter != null) {
            outgoing.isOver = true;
            member.cancel(outgoing.letter, now);
        }
        if (outgoing.mayBeRepeated) {
            outgoing.sender.arrived(outgoing); // it is not repeated any more
        }
    }

    private static boolean isRepeatable(Outgoing outgoing) {
        return outgoing.isAsk() && outgoing.message instanceof Repeatable;
    }

    // ---- What the member asks for. ----

    @Override
    public byte @Nullable [] entry(String table, String key) {
        return tables.entry(table, key);
    }

    @Override
    public Map<String, byte[]> entries(String table) {
        return tables.entries(table);
    }

    @Override
    public void propose(Change change) {
        callers.propose(change);
    }

    @Override
    public void dispatched(Letter letter, UUID node) {
        var outgoing = (Outgoing) letter.origin();
        outgoing.mayBeRepeated = false; // it is on its way, and its fate will be told
        outgoing.keep(); // it may be sent again
        if (outgoing.isAsk()) {
            outgoing.noteSent(members.node(node));
        }
        outgoing.sender.dispatched(outgoing, node);
    }

    @Override
    public void stopped(String group, int slice) {
        var known = rooms.get(group);
        if (known != null) {
            known.stopped(slice);
        }
    }

    @Override
    public void transmit(UUID node, ByteBuffer frame) {
        callers.send(node, frame);
    }

    @Override
    public boolean isFree(UUID node) {
        return !isLeft && callers.isFree(node);
    }

    @Override
    public void deliver(HomeDelivery delivery) {
        hosted(delivery.group()).deliver(delivery);
    }

    @Override
    public void drain(String group, int slice, boolean gently) {
        var hosted = group(group);
        hosted.end(slice, gently);
        if (!gently) {
            halted.add(hosted);
        }
    }

    @Override
    public void hurry(String group, int slice) {
        group(group).hurry(slice)
                .forEach(key -> watchers.tell(new ClusterEvent.Stuck(group, key, moveLimit)));
    }

    /** A slice is open only where its group was shared, and so a message comes there alone. */
    private Hosted hosted(String name) {
        var group = groups.get(name);
        if (group == null) {
            throw new IllegalStateException(
                    "the group '" + name + "' is not shared here, and a message of it was delivered");
        }
        return group;
    }

    private HostedGroup<?, ?, ?> group(String name) {
        return (HostedGroup<?, ?, ?>) hosted(name);
    }

    @Override
    public void told(Letter letter, Fate fate) {
        var outgoing = (Outgoing) letter.origin();
        if (fate instanceof Fate.Taken taken && outgoing.isAsk()) {
            outgoing.noteTaken(members.node(taken.node()));
        }
        if (fate instanceof Fate.Taken && isRepeatable(outgoing) && !outgoing.isOver) {
            outgoing.mayBeRepeated = true;
        } else {
            outgoing.sender.arrived(outgoing);
        }
        outgoing.forget();
        if (!outgoing.isOver) {
            outgoing.sender.told(outgoing, fate);
        }
    }

    @Override
    public void answered(Letter letter, byte[] answer) {
        var outgoing = (Outgoing) letter.origin();
        if (outgoing.mayBeRepeated || !isRepeatable(outgoing)) {
            outgoing.sender.arrived(outgoing);
        }
        if (!outgoing.isOver) {
            outgoing.sender.answered(outgoing, answer);
        }
    }

    @Override
    public void cancelled(UUID from, long ask) {
        groups.values().forEach(group -> group.asks.cancelled(from, ask));
    }

    @Override
    public void probed(UUID from, long ask, byte[] probe) {
        mailbox.accept(new Input.Probed(from, ask, probe));
    }

    @Override
    public void noted(UUID from, String group, NodeLoad load) {
        loads.told(from, group, load);
    }

    @Override
    public NodeLoad load(String group) {
        return groups.get(group) instanceof HostedHere here ? here.load() : NodeLoad.NONE;
    }

    @Override
    public Map<UUID, NodeLoad> loads(String group) {
        return loads.loads(group);
    }

    @Override
    public void hosts(String group, Set<UUID> hosts) {
        loads.hosts(group, hosts);
    }

    @Override
    public int random(int bound) {
        return random.nextInt(bound);
    }

    @Override
    public void opened(String group, int slice, long term, byte[] entry) {
        group(group).opened(slice, entry);
    }

    @Override
    public void unlike(String group, UUID node, int kind) {
        LOGGER.error("{}", Sharing.unlike(group, members.node(node), kind));
    }
}
