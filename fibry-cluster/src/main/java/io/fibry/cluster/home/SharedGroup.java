package io.fibry.cluster.home;

import io.fibry.cluster.engine.ClusterEngine.Outcome;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A group as a node sees it: its hosts, its slices and the routes to them. Without slices, letters go to workers or nodes. */
final class SharedGroup {
    private static final int MOST_MOVES = 8;
    private static final long PAUSE = 20_000_000L;
    /** No slice moves for a lesser difference: 100 messages a second, counted for ten. */
    private static final int LEAST_EXCESS = 1_000;

    private final ClusterMember member;
    final String name;
    /** The key of this node in the table of hosts. */
    private final String hostKey;
    private final List<Slice> slices = new ArrayList<>();
    private final List<RouteToHome> routes = new ArrayList<>();
    /** The numbers of the slices that look at each tick, and those of the routes. */
    private final BitSet waitingSlices = new BitSet();
    private final BitSet waitingRoutes = new BitSet();
    private final Route routeToNodes;
    private final RouteToWorkers routeToWorkers;
    /** Whether the group is not divided: its slice stays where it is as long as its home hosts the group. */
    private final boolean whole;
    private final int kind;
    /** The nodes that host a group of this name that is something else; each of the view was told of once. */
    private final Set<UUID> unlike = new HashSet<>();
    private Set<UUID> present = Set.of();
    private List<UUID> placement = List.of();
    /** The slices that go from here to less busy nodes, and these nodes. */
    private final Map<Integer, UUID> destinations = new HashMap<>();
    /** Since when this node has been much busier than the other hosts, and these and the homes have stayed. */
    private long unevenSince;
    private int moving;
    private boolean hosts;
    private boolean changesHosts;
    private boolean pauses;
    private long pauseEnd;

    SharedGroup(ClusterMember member, String name, int size, boolean whole, int kind) {
        this.member = member;
        this.name = name;
        hostKey = GroupTables.key(name, member.self);
        this.whole = whole;
        this.kind = kind;
        for (int number = 0; number < size; number++) {
            slices.add(new Slice(member, this, number));
            routes.add(new RouteToHome(member, this, number));
        }
        routeToNodes = new RouteToNode(member);
        routeToWorkers = new RouteToWorkers(member, this);
    }

    /** Returns a new entry of this node in the table of hosts. */
    private GroupEntry entry() {
        return new GroupEntry(member.self, kind, whole, true, false, 0, member.view(), member.nextChange());
    }

    /** Returns a new entry of a slice that this node opens, or has closed. */
    GroupEntry entry(int number, boolean open, long term) {
        var to = open ? null : destinations.get(number);
        return new GroupEntry(to == null ? member.self : to, kind, whole, open,
                to != null || (open && member.self.equals(chosen(number))), term, member.view(),
                member.nextChange());
    }

    /**
     * Returns the node that was chosen by load for a slice; null if there is none. A choice is void when its node hosts the group no
     * more, or when the node of the placement has begun to host it in a later view.
     */
    private @Nullable UUID chosen(int number) {
        var entry = slices.get(number).entry();
        // mutant: slice-waits-for-a-chosen-node-that-is-gone
        if (entry == null || !entry.chosen() || !present.contains(entry.node())) {
            return null;
        }
        var host = GroupEntry.decode(member.surroundings.entry(GroupTables.HOSTS,
                GroupTables.key(name, placement.get(number))));
        return host == null || host.view() <= entry.view() ? entry.node() : null;
    }

    Slice slice(int number) {
        return slices.get(number);
    }

    RouteToHome routeOf(int number) {
        return routes.get(number);
    }

    Route routeOf(Letter letter) {
        return letter.slice != Letter.NO_SLICE ? routeOf(letter.slice)
                : letter.namesNode() ? routeToNodes : routeToWorkers;
    }

    RouteToWorkers routeToWorkers() {
        return routeToWorkers;
    }

    /** Whether this node takes messages that name it. */
    boolean isHosted() {
        return hosts;
    }

    /** Returns the nodes of the view that host the group. */
    Set<UUID> hosts() {
        return present;
    }

    int size() {
        return slices.size();
    }

    /** Whether messages for a slice, or those that name a node, are of this group. */
    boolean has(int slice) {
        return slices.isEmpty() ? slice == Letter.NO_SLICE : slice >= 0 && slice < slices.size();
    }

    /** Returns the node that takes messages of a slice, as far as this node knows; null if there is none. */
    @Nullable UUID homeOf(int number) {
        var slice = slices.get(number);
        if (slice.isOpen()) {
            return member.self;
        }
        var entry = slice.entry();
        return entry != null && entry.open() && entry.whole() == whole && !entry.node().equals(member.self)
                && member.sees(entry.node())
                        ? entry.node()
                        : null;
    }

    /** Returns the node that is to be the home of a slice; null if there is none. */
    private @Nullable UUID place(int number) {
        var to = destinations.getOrDefault(number, chosen(number));
        return to != null || placement.isEmpty() ? to : placement.get(number);
    }

    boolean shouldBeHome(int number) {
        return hosts && member.self.equals(place(number));
    }

    /** Whether a slice that is open here is to be elsewhere. If no node hosts the group, as far as is known, it stays. */
    boolean shouldLeave(int number) {
        // mutant: singleton-moves-to-a-node-that-joins
        return !hosts || (!whole && !placement.isEmpty() && !member.self.equals(place(number)));
    }

    /**
     * Hands slices over if this node has had at least half as much again to do as the average for a while: the busiest host to the
     * least busy one, the second to the second least. Neither of the two passes the average by that, so a slice that is busier stays.
     *
     * @param loads how busy each slice is here
     * @param rest for how long it must have been so, without a move
     */
    void balance(int[] loads, long rest, long now) {
        var others = member.surroundings.loads(name).entrySet().stream()
                .filter(told -> present.contains(told.getKey()) && !told.getKey().equals(member.self))
                .sorted(Comparator.comparingInt(told -> told.getValue().pending())).toList();
        long mine = IntStream.of(loads).asLongStream().sum();
        var all = mine + others.stream().mapToLong(told -> told.getValue().pending()).sum();
        var average = all / (others.size() + 1);
        if (whole || !hosts || !member.isServing() || !destinations.isEmpty()
                || others.isEmpty() || others.size() + 1 < present.size()
                || mine - average < Math.max(LEAST_EXCESS, average / 2)) {
            unevenSince = now;
        } else if (now - unevenSince >= rest) {
            int busier = (int) others.stream().filter(told -> told.getValue().pending() > mine).count();
            var to = others.get(Math.min(busier, others.size() - 1));
            SlicePlacement.busiest(loads, Math.min(mine - average, average - to.getValue().pending()))
                    .stream()
                    .filter(number -> slices.get(number).isOpen())
                    .forEach(number -> destinations.put(number, to.getKey()));
            List.copyOf(destinations.keySet()).forEach(number -> slices.get(number).evaluate(now));
        }
    }

    /** This node has nothing of a slice to hand over. */
    void removeDestination(int number) {
        destinations.remove(number);
    }

    /** A slice has another home, or none. */
    void noteMove(long now) {
        unevenSince = now;
    }

    boolean mayMove() {
        return moving < MOST_MOVES;
    }

    /** A slice begins to move, or has moved. */
    void countMoving(int more) {
        moving += more;
    }

    /** Begins or ends to host the group. */
    void host(boolean wanted, long now) {
        hosts = wanted;
        evaluateHosting(now);
        evaluate(now);
    }

    /** Whether letters of this node are on their way to another host of the group, or wait until one is their home. */
    boolean hasLetters() {
        return present.stream().anyMatch(node -> !node.equals(member.self))
                && routes.stream().anyMatch(RouteToHome::isBusy);
    }

    /** Whether nothing of the group is left here: no slice, and no entry that says that this node hosts it. */
    boolean isGone() {
        return !hosts && member.surroundings.entry(GroupTables.HOSTS, hostKey) == null
                && slices.stream().allMatch(Slice::isAway)
                && slices.stream().noneMatch(this::isHomeByTable);
    }

    /** Whether no slice has actors. */
    boolean hasEnded() {
        return slices.stream().allMatch(Slice::hasEnded);
    }

    private boolean isHomeByTable(Slice slice) {
        var entry = slice.entry();
        return entry != null && entry.open() && entry.node().equals(member.self);
    }

    private void evaluateHosting(long now) {
        if (changesHosts || !member.isServing() || (pauses && now - pauseEnd < 0)) {
            return;
        }
        pauses = false;
        var there = member.surroundings.entry(GroupTables.HOSTS, hostKey) != null;
        if (there != hosts) {
            changesHosts = true;
            member.propose(GroupTables.HOSTS, hostKey, hosts ? entry().encode() : null);
        }
    }

    /** Tells the outcome of a change of the table of hosts. */
    void hostsChanged(Outcome outcome, long now) {
        changesHosts = false;
        pauses = true;
        pauseEnd = now + PAUSE;
        member.waits(this);
        membersChanged(now);
    }

    /** The members or the hosts have changed. */
    void membersChanged(long now) {
        var found = new TreeSet<UUID>();
        unlike.removeIf(host -> !member.sees(host));
        GroupTables.hosts(member.surroundings.entries(GroupTables.HOSTS), name).forEach((host, theirs) -> {
            if (theirs != kind) {
                // What is not the same has no key and no message in common with this group, so nothing is sent there.
                if (member.sees(host) && unlike.add(host)) {
                    member.surroundings.unlike(name, host, theirs);
                }
            } else if (member.sees(host)) {
                found.add(host);
            }
        });
        if (!found.equals(present)) {
            present = Collections.unmodifiableSet(found);
            placement = SlicePlacement.of(name, slices.size(), present);
            destinations.values().retainAll(present);
            unevenSince = now;
            member.surroundings.hosts(name, present);
        }
        evaluateHosting(now);
        evaluate(now);
        routes.forEach(route -> route.lookAgain(now));
        routeToWorkers.lookAgain(now);
    }

    /** The entry of a slice has changed. */
    void entryChanged(int number, long now) {
        unevenSince = now;
        if (number < slices.size()) { // or it is a slice of something else that other nodes share under this name
            slices.get(number).lookAgain(now);
            routes.get(number).lookAgain(now);
        }
    }

    /**
     * Lets time pass, and returns whether something still waits for that. A node may have very many slices, most of
     * which do nothing until they are told of a change. So only those that wait look.
     */
    boolean tick(long now) {
        if (pauses) {
            evaluateHosting(now);
        }
        forEach(waitingSlices, number -> slices.get(number).tick(now));
        forEach(waitingRoutes, number -> {
            var route = routes.get(number);
            route.tick(now);
            waitingRoutes.set(number, route.waits());
        });
        routeToWorkers.tick(now);
        return pauses || !waitingSlices.isEmpty() || !waitingRoutes.isEmpty() || routeToWorkers.waits();
    }

    private static void forEach(BitSet numbers, IntConsumer code) {
        for (int number = numbers.nextSetBit(0); number >= 0; number = numbers.nextSetBit(number + 1)) {
            code.accept(number);
        }
    }

    void sliceWaits(int number, boolean waits) {
        waitingSlices.set(number, waits);
        if (waits) {
            member.waits(this);
        }
    }

    void routeWaits(int number) {
        waitingRoutes.set(number);
        member.waits(this);
    }

    private void evaluate(long now) {
        slices.forEach(slice -> slice.evaluate(now));
    }

    @Override
    public String toString() {
        return name + (hosts ? ", hosted here " : " ") + slices;
    }
}
