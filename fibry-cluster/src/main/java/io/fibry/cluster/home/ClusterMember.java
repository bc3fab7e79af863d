package io.fibry.cluster.home;

import io.fibry.cluster.engine.ClusterEngine.Change;
import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.cluster.stream.BadFrameException;
import io.fibry.cluster.stream.FrameCodec;
import io.fibry.cluster.stream.Inbound.Arrival;
import io.fibry.cluster.stream.StreamFrame;
import io.fibry.cluster.stream.Verdict;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A node of a cluster, as a state machine: it hosts slices of groups, and sends letters to their homes.
 *
 * <p>Not thread-safe: one call at a time. Times are those of a clock in nanoseconds, and never fall. {@link #tick} is to be called every few
 * milliseconds, and {@link #transmitNow} after one or several other calls, which leave to it what they have for other nodes.
 */
public final class ClusterMember {
    /** For how long at least a lost node may come back and find its entries of the table of hosts. */
    private static final long LOOK = 10_000_000_000L;
    /** So many lost nodes are remembered. When so many more are lost, nothing that one of them has sent is still on its way. */
    static final int MOST_LOST = 1_000;

    final UUID self;
    private final int slices;
    /** How many nanoseconds a handler may hold up a move. */
    final long moveLimit;
    final Surroundings surroundings;
    private final Map<String, SharedGroup> groups = new LinkedHashMap<>();
    /** The groups of which something waits for time to pass. */
    private final Set<SharedGroup> waiting = new LinkedHashSet<>();
    /** Of a leave: the groups that were not gone when they were last looked at, and those that follow them. */
    private final Queue<SharedGroup> notGone = new ArrayDeque<>();
    /** The other nodes of the view. */
    final Map<UUID, PeerNode> peers = new LinkedHashMap<>();
    /** The nodes that were lost last. They, or what they have sent, may still come, so the epochs of their streams are kept. */
    final LinkedHashMap<UUID, PeerNode> lost = new LinkedHashMap<>();
    /** No stream of this node to a node that is forgotten had this epoch, or a later one. */
    private long newEpoch = 1;
    /** The asks of this node that have no answer, by their numbers. */
    private final Map<Long, Letter> asks = new LinkedHashMap<>();
    /** What was delivered here by this node itself, and has no verdict. */
    private final Map<Long, Post.Message> local = new HashMap<>();
    private Set<UUID> members = Set.of();
    private boolean serving;
    private long service;
    private long view;
    private long lastLocal;
    private long lastLetter;
    private long changes;
    /** When entries of lost nodes were last looked for, and the keys of those that were there. */
    private long lastLook;
    private Set<String> hostsOfLost = Set.of();
    private long now;

    /**
     * Makes a member that has no view yet.
     *
     * @param self incarnation of this node
     * @param slices number of slices of each group, the same on all nodes
     * @param moveLimit how many nanoseconds a handler may hold up a move
     * @param surroundings the world around
     */
    public ClusterMember(UUID self, int slices, long moveLimit, Surroundings surroundings) {
        this.self = self;
        this.slices = slices;
        this.moveLimit = moveLimit;
        this.surroundings = surroundings;
    }

    // ---- What comes in. ----

    /**
     * Tells which nodes this node sees, itself included, whether they are the majority, and which of those that are
     * missing have left after they {@linkplain #hasHandedOver handed everything over}; the others were lost. Of two
     * views with a majority the later one has the higher number, on all nodes.
     */
    public void viewChanged(long number, Set<UUID> seen, boolean majority, Set<UUID> left, long time) {
        now = time;
        var before = members;
        if (before.isEmpty()) {
            lastLook = time;
        }
        view = number;
        members = new LinkedHashSet<>(seen);
        if (serving && !majority) {
            service++;
        }
        serving = majority;
        for (var node : before) {
            if (!node.equals(self) && !members.contains(node)) {
                var peer = peer(node);
                peer.in.retire();
                peer.forgetRounds();
                lose(peer, left.contains(node));
                peers.remove(node);
                lost.put(node, peer);
            }
        }
        forget(left);
        members.stream().filter(node -> !node.equals(self)).forEach(this::peer);
        groups.values().forEach(group -> group.membersChanged(now));
    }

    /**
     * Forgets nodes that do not come back, and those that were lost long ago. If one comes back, it has found that it
     * was lost, and has retired its streams itself; streams to it get epochs that it does not know.
     */
    private void forget(Set<UUID> left) {
        lost.keySet().removeAll(left);
        while (lost.size() > MOST_LOST) {
            newEpoch = Math.max(newEpoch, lost.pollFirstEntry().getValue().out.epoch());
        }
    }

    /**
     * Removes the entries of lost nodes from the table of hosts, if they were there at the look before: nodes that leave do so
     * themselves, nodes that are back soon keep them, and others add them again. The first node of the view does this for all.
     */
    private void removeLostHosts() {
        lastLook = now;
        var before = hostsOfLost;
        hostsOfLost = new HashSet<>();
        if (serving && members.stream().min(Comparator.naturalOrder()).filter(self::equals).isPresent()) {
            surroundings.entries(GroupTables.HOSTS).forEach((key, value) -> {
                var entry = GroupEntry.decode(value);
                if (entry != null && isLost(entry) && hostsOfLost.add(key) && before.contains(key)) {
                    propose(GroupTables.HOSTS, key, null);
                }
            });
        }
    }

    /** Whether the node of an entry is out of the view. It is not if it has joined after this view. */
    boolean isLost(GroupEntry entry) {
        // mutant: home-that-has-just-joined-is-taken-for-lost
        return !sees(entry.node()) && entry.view() <= view;
    }

    /** An entry of a table has changed. */
    public void entryChanged(String table, String key, long time) {
        now = time;
        var group = groups.get(GroupTables.group(key));
        if (group != null && table.equals(GroupTables.HOMES)) {
            group.entryChanged(GroupTables.slice(key), now);
        } else if (group != null && table.equals(GroupTables.HOSTS)) {
            group.membersChanged(now);
        }
    }

    /**
     * Whether a change that this member has proposed should still be made. If not, and it has not begun, it is
     * refused: so a change that has waited is decided by what is known when its turn comes.
     */
    public boolean wants(Change change) {
        var key = change.key();
        return !change.table().equals(GroupTables.HOMES)
                || group(GroupTables.group(key)).slice(GroupTables.slice(key)).wants(change);
    }

    /** Tells the outcome of a change that this member has proposed. */
    public void changed(Change change, Outcome outcome, long time) {
        now = time;
        var name = GroupTables.group(change.key());
        if (change.table().equals(GroupTables.HOMES)) {
            group(name).slice(GroupTables.slice(change.key())).changed(change, outcome, now);
        } else if (change.key().equals(GroupTables.key(name, self))) {
            // The groups of this node learn of removed entries of lost nodes as those of other nodes do: an entry has changed.
            group(name).hostsChanged(outcome, now);
        }
    }

    /**
     * Describes a group that has no keys. To be called on each node before anything else of the group.
     *
     * @param number the number of its slices. One slice stays with its home until that leaves or is lost, whichever
     *        nodes join. Without slices there are no homes, and each letter names the node to which it goes.
     * @param kind what it is for. Nodes share a group if they agree on that; it is zero for a group that is not described.
     */
    public void describe(String name, int number, int kind) {
        if (!groups.containsKey(name)) {
            var unused = add(new SharedGroup(this, name, number, true, kind));
        }
    }

    /** Tells a node the load of workers, subscribers or slices of this one. It is told in the order of the calls, if it is not lost. */
    public void note(UUID to, String group, NodeLoad load, long time) {
        now = time;
        give(to, new Post.Note(group, load));
    }

    /**
     * Tells how busy each slice of a group has been here. If this node has been much busier than the other hosts for a while, it hands
     * slices over.
     *
     * @param loads a number for each slice, in the unit of the {@linkplain NodeLoad#pending loads} that nodes tell of the group
     * @param rest for how many nanoseconds that must have been so, without a move
     */
    public void balance(String name, int[] loads, long rest, long time) {
        now = time;
        group(name).balance(loads, rest, now);
    }

    /** Begins to host a group, or ends to do so and hands its slices over. */
    public void host(String name, boolean wanted, long time) {
        now = time;
        group(name).host(wanted, now);
    }

    /** Whether this node neither hosts a group nor is the home of a slice. */
    public boolean isGone() {
        // Asked often while a node leaves, and it may have many groups: those found gone are looked at again only at the end.
        if (notGone.isEmpty()) {
            notGone.addAll(groups.values());
        }
        while (!notGone.isEmpty() && notGone.element().isGone()) {
            notGone.remove();
        }
        return notGone.isEmpty() && groups.values().stream().allMatch(SharedGroup::isGone);
    }

    /** Whether no slice has actors here. */
    public boolean hasEnded() {
        return groups.values().stream().allMatch(SharedGroup::hasEnded);
    }

    /** Whether letters of this node wait for a home or have no verdict, apart from those that no other node could take. */
    public boolean hasLetters() {
        return groups.values().stream().anyMatch(SharedGroup::hasLetters);
    }

    /** Whether a node has taken an ask of this node and has not answered it yet. */
    public boolean awaitsAnswers() {
        return asks.values().stream().anyMatch(letter -> letter.takenBy() != null);
    }

    /**
     * Whether this node may leave: it is {@linkplain #isGone gone}, has nothing for another node, and all others know
     * what it has taken. It then takes nothing more, so what has no verdict when it is gone was not taken. A node
     * that is cut off knows nothing of the others.
     */
    public boolean hasHandedOver() {
        // mutant: node-that-is-cut-off-says-goodbye
        var known = serving;
        for (var peer : peers.values()) {
            // mutant: node-leaves-before-others-know-what-it-took
            known &= peer.in.isTakenKnown() && !peer.out.isBusy();
        }
        return known && isGone();
    }

    /** Whether this node neither hosts a group nor is the home of a slice of it. */
    public boolean hasHandedOver(String name) {
        var group = groups.get(name);
        return group == null || group.isGone();
    }

    /** Sends a letter to a home or to workers, for which it may wait, or to the node that it names. Its fate is told. */
    public void send(Letter letter, long time) {
        now = time;
        if (serving) {
            letter.number(++lastLetter);
            if (letter.ask != 0) {
                asks.put(letter.ask, letter);
            }
            group(letter.group).routeOf(letter).send(letter, now);
        } else {
            told(letter, new Fate.NotServed());
        }
    }

    /** This node sends nothing any more: what waits for workers is not served. */
    public void refuseHeld() {
        groups.values().forEach(group -> group.routeToWorkers().refuseHeld());
    }

    /** The actors of this node have stopped or were given up: the fate of letters that they had from this node is uncertain. */
    public void giveUp(long time) {
        now = time;
        var left = new LinkedHashSet<>(asks.values());
        local.values().forEach(message -> left.add(message.letter()));
        local.clear();
        left.forEach(letter -> told(letter, new Fate.Uncertain(self)));
    }

    /** The sender of a letter does not wait for the answer any more. */
    public void cancel(Letter letter, long time) {
        now = time;
        letter.withdraw();
        var route = group(letter.group).routeOf(letter);
        var node = end(letter.ask) == null ? null : letter.at();
        if (node != null) {
            give(node, new Post.Cancel(letter.ask));
        }
        if (route.takeBack(letter)) {
            told(letter, new Fate.Expired());
        }
    }

    /** Sends what looks for a circle of asks along an ask, when a node has taken it. It is left out if the ask is not open. */
    public void probe(Letter letter, byte[] probe, long time) {
        now = time;
        if (asks.get(letter.ask) != letter) {
            return;
        }
        var node = letter.takenBy();
        if (node == null) {
            letter.keep(probe);
        } else {
            give(node, new Post.Probe(letter.ask, probe));
        }
    }

    /** Tells the verdict on a message that was delivered here: it was taken, or refused. */
    public void settle(HomeDelivery delivery, Verdict verdict, long time) {
        now = time;
        if (delivery.from().equals(self)) {
            var message = local.remove(delivery.number());
            if (message != null) {
                settled(self, message, verdict);
            }
        } else if (sees(delivery.from())) {
            peer(delivery.from()).in.settle(delivery.epoch(), delivery.number(), verdict);
        }
    }

    /** Answers a message that was delivered here. */
    public void answer(HomeDelivery delivery, byte[] body, long time) {
        now = time;
        give(delivery.from(), new Post.Answer(delivery.ask(), body));
    }

    /** All actors of a slice have ended. */
    public void drained(String group, int slice, long time) {
        now = time;
        group(group).slice(slice).drained(now);
    }

    /** Nodes get what waits for them, unless no frame is wanted for them. */
    public void transmitNow(long time) {
        now = time;
        peers.values().forEach(PeerNode::pump);
    }

    /** Lets time pass. */
    public void tick(long time) {
        now = time;
        waiting.removeIf(group -> !group.tick(now));
        if (now - lastLook >= LOOK) {
            removeLostHosts();
        }
        peers.values().forEach(PeerNode::tick);
    }

    /**
     * Bytes have come from a node. Those of nodes that this node does not see are left out; what they carry is repeated.
     *
     * @throws BadFrameException if they are no frames; nothing was done with them
     */
    public void received(UUID from, ByteBuffer bytes, long time) throws BadFrameException {
        now = time;
        var frames = FrameCodec.decode(bytes);
        if (!sees(from) || from.equals(self)) {
            return;
        }
        var peer = peer(from);
        for (var frame : frames) {
            receive(peer, frame);
        }
        peer.pump(); // it must hear in time that many items have passed
    }

    private void receive(PeerNode peer, StreamFrame frame) {
        switch (frame) {
            case StreamFrame.Items items -> receive(peer, items);
            case StreamFrame.Verdicts verdicts -> {
                for (var settled : peer.out.settle(verdicts, now)) {
                    if (settled.item() instanceof Post.Message message) {
                        settled(peer.node, message, settled.verdict());
                    }
                }
            }
            case StreamFrame.Retired retired -> {
                if (retired.epoch() == peer.out.epoch()) {
                    lose(peer, false);
                } else if (retired.epoch() < peer.out.epoch()) {
                    peer.out.showEpoch();
                }
            }
        }
    }

    private void receive(PeerNode peer, StreamFrame.Items items) {
        if (peer.in.open(items.epoch())) {
            peer.forgetRounds();
        }
        var number = items.first();
        for (var item : items.items()) {
            var arrival = peer.in.arrive(items.epoch(), number);
            if (arrival == Arrival.RETIRED) {
                peer.transmit(new StreamFrame.Retired(items.epoch()));
                return;
            }
            if (arrival == Arrival.NEXT) {
                receive(peer, items.epoch(), number, item);
            }
            number++;
        }
        peer.in.confirm(items.epoch(), items.confirmed());
    }

    private void receive(PeerNode peer, long epoch, long number, byte[] item) {
        @Nullable Verdict verdict = Verdict.NOT_UNDERSTOOD;
        if (Post.isMessage(item)) {
            var delivery = HomeDelivery.of(peer.node, epoch, number, item, now);
            verdict = delivery == null ? verdict : receive(peer, delivery);
        } else {
            var post = Post.decode(item);
            if (post != null) {
                take(peer.node, post);
                // A node that leaves does not wait until the others know that it has got their notes.
                verdict = post instanceof Post.Note ? Verdict.RETURNED : Verdict.TAKEN;
            }
        }
        if (verdict != null) {
            peer.in.settle(epoch, number, verdict);
        }
    }

    /** Delivers a message if this node is the home of its key; returns the verdict, or null if it is told later. */
    private @Nullable Verdict receive(PeerNode peer, HomeDelivery delivery) {
        var slice = delivery.slice();
        var group = groups.get(delivery.group());
        if (slice < Letter.NO_SLICE || (group != null && !group.has(slice))) {
            return Verdict.NOT_UNDERSTOOD;
        }
        if (slice == Letter.NO_SLICE) {
            if (group == null || !group.isHosted()) {
                return Verdict.RETURNED;
            }
            surroundings.deliver(delivery);
            return null;
        }
        var key = delivery.group() + "/" + slice;
        // mutant: round-is-open-after-a-return
        if (!peer.takes(key, delivery.round())) {
            return Verdict.RETURNED;
        }
        // mutant: message-reaches-a-node-that-is-not-its-home
        if (group == null || !group.slice(slice).isOpen()) {
            peer.closeRound(key, delivery.round());
            // mutant: home-that-closes-drops-messages
            return Verdict.RETURNED;
        }
        surroundings.deliver(delivery);
        return null;
    }

    /** Returns a node of this view, or of the one before. */
    private PeerNode peer(UUID node) {
        return peers.computeIfAbsent(node, missing -> {
            var known = lost.remove(missing);
            return known == null ? new PeerNode(this, missing, newEpoch) : known;
        });
    }

    /** Gives an item to a node, which may be this one. It is left out if this node does not see the other one. */
    private void give(UUID to, Post post) {
        if (to.equals(self)) {
            take(self, post);
        } else if (sees(to)) {
            peer(to).out.add(post);
        }
    }

    /** Takes what a node has sent. The messages of others have come as a {@link HomeDelivery}. */
    private void take(UUID from, Post post) {
        switch (post) {
            case Post.Message message -> {
                var letter = message.letter();
                lastLocal++;
                local.put(lastLocal, message);
                surroundings.deliver(new HomeDelivery(from, 0, lastLocal, letter.group, letter.slice,
                        message.round(), letter.ask, letter.deadline, letter.body));
            }
            case Post.Answer answer -> answered(answer.ask(), answer.body());
            case Post.Cancel cancel -> surroundings.cancelled(from, cancel.ask());
            case Post.Probe probe -> surroundings.probed(from, probe.ask(), probe.body());
            case Post.Note note -> {
                surroundings.noted(from, note.group(), note.load());
                var group = groups.get(note.group());
                if (group != null) {
                    group.routeToWorkers().told(from, note.load());
                }
            }
        }
    }

    // ---- What goes on inside. ----

    long now() {
        return now;
    }

    /** The number of the view. */
    long view() {
        return view;
    }

    long service() {
        return service;
    }

    /** Whether this node sees the majority. */
    public boolean isServing() {
        return serving;
    }

    boolean sees(UUID node) {
        return members.contains(node);
    }

    /** Makes each proposed entry of this node unlike all others. */
    long nextChange() {
        return ++changes;
    }

    void propose(String table, String key, byte @Nullable [] next) {
        surroundings.propose(new Change(table, key, surroundings.entry(table, key), next));
    }

    /** Sends a letter to a node that this one sees, in a round of its route. */
    void dispatch(UUID to, Letter letter, long round) {
        surroundings.dispatched(letter, to);
        letter.isUnderwayTo(to);
        give(to, new Post.Message(letter, round));
    }

    void told(Letter letter, Fate fate) {
        if (!(fate instanceof Fate.Taken)) {
            var unused = end(letter.ask);
        }
        surroundings.told(letter, letter.inTheEnd(fate));
    }

    /** Ends an ask; returns its letter, or null if it was not open. */
    private @Nullable Letter end(long ask) {
        var letter = asks.remove(ask);
        if (letter != null) {
            group(letter.group).routeOf(letter).ended(letter);
        }
        return letter;
    }

    private void settled(UUID by, Post.Message message, Verdict verdict) {
        var letter = message.letter();
        var route = group(letter.group).routeOf(letter);
        var isSentAgain = route.repeats(letter, verdict, now);
        letter.isUnderwayTo(null);
        if (verdict == Verdict.TAKEN) {
            var probes = letter.take(by);
            if (asks.containsKey(letter.ask)) {
                probes.forEach(probe -> give(by, new Post.Probe(letter.ask, probe)));
            }
            told(letter, new Fate.Taken(by));
        } else if (!isSentAgain) {
            told(letter, new Fate.Refused(by, verdict));
        }
        route.settled(letter, by, verdict, isSentAgain, now);
    }

    private void answered(long ask, byte[] body) {
        var letter = asks.get(ask);
        if (letter != null) {
            letter.answer();
            var unused = end(ask);
            if (group(letter.group).routeOf(letter).takeBack(letter)) {
                surroundings.told(letter, new Fate.Taken(self)); // in truth by the node that has answered
            }
            surroundings.answered(letter, body);
        }
    }

    /**
     * Tells the fates of all that was underway to a node that was lost, or that takes this node for lost. If it has
     * handed everything over, all of it was certainly not taken.
     */
    private void lose(PeerNode peer, boolean handedOver) {
        var left = peer.out.retire();
        if (sees(peer.node)) {
            // It took this node for lost, and is back. Some answers are to what it has asked since then; it knows the others.
            sendAgain(peer, left.uncertain());
            sendAgain(peer, left.notSent());
        }
        var fates = new ArrayList<Letter>();
        take(peer.node, left.uncertain(), !handedOver, fates);
        take(peer.node, left.notSent(), false, fates);
        for (var letter : fates) {
            told(letter, letter.isAnswered() ? new Fate.Taken(peer.node) : new Fate.Uncertain(peer.node));
        }
        var taken = asks.values().stream().filter(letter -> peer.node.equals(letter.takenBy())).toList();
        for (var letter : taken) {
            if (letter.mayBeRepeated(now)) {
                letter.repeatAfter(peer.node);
                group(letter.group).routeOf(letter).repeat(letter);
            } else {
                told(letter, new Fate.Uncertain(peer.node));
            }
        }
        for (var group : groups.values()) {
            for (int slice = 0; slice < group.size(); slice++) {
                if (peer.node.equals(group.routeOf(slice).target())) {
                    group.routeOf(slice).stop(now);
                } else {
                    group.routeOf(slice).tick(now);
                }
            }
            group.routeToWorkers().tick(now);
        }
    }

    private void sendAgain(PeerNode peer, List<Post> posts) {
        for (var post : posts) {
            if (!(post instanceof Post.Message)) {
                peer.out.add(post);
            }
        }
    }

    /** Gives letters back to their routes if they were certainly not taken; others are added to those that are uncertain. */
    private void take(UUID peer, List<Post> posts, boolean mayBeTaken, List<Letter> uncertain) {
        for (var post : posts) {
            if (post instanceof Post.Message message) {
                var letter = message.letter();
                var route = group(letter.group).routeOf(letter);
                var certain = !mayBeTaken || route.hasReturned(letter);
                letter.isUnderwayTo(null);
                // mutant: ask-that-may-be-repeated-is-told-as-uncertain
                if (!certain && letter.mayBeRepeated(now)) {
                    letter.repeatAfter(peer);
                    route.lost(letter, true);
                    continue;
                }
                route.lost(letter, certain);
                if (!certain) {
                    uncertain.add(letter);
                }
            }
        }
    }

    SharedGroup group(String name) {
        var group = groups.get(name);
        return group == null ? add(new SharedGroup(this, name, slices, false, 0)) : group;
    }

    private SharedGroup add(SharedGroup group) {
        groups.put(group.name, group);
        group.membersChanged(now);
        return group;
    }

    /** Something of a group waits for time to pass. */
    void waits(SharedGroup group) {
        waiting.add(group);
    }

    @Override
    public String toString() {
        return self + (serving ? " serves " : " does not serve ") + groups.values();
    }
}
