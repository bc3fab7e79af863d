package io.fibry.cluster.simulation;

import static io.fibry.cluster.simulation.Events.MILLISECOND;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * One run of a cluster. Its membership is as an engine gives it: there is one sequence of views with a majority; a node that was
 * excluded from it is told so before it is in a view with a majority again; and its copy of the tables is complete when it is. With
 * {@link SimulatedLeases} it follows the rules of the engine on a database.
 */
final class Simulation {
    private static final int SLICES = 6;
    static final long ASK_LIMIT = 3_000 * MILLISECOND;
    private static final int KEYS = 6;
    private static final long TRAFFIC = 1_500 * MILLISECOND;

    final Events events;
    final Options options;
    final int slices;
    final Bug bug;
    /** Whether asks have time limits. */
    final boolean areLimited;
    final World world;
    final SimulatedNetwork network = new SimulatedNetwork(this);
    final SimulatedTables tables = new SimulatedTables(this);
    final SimulatedLeases leases;
    final Map<UUID, SimulatedNode> nodes = new LinkedHashMap<>();
    /** Those that have said goodbye. */
    final Set<UUID> left = new LinkedHashSet<>();
    private final Set<UUID> leaving = new LinkedHashSet<>();
    /** The home of the singleton, if it is still that of the term. */
    private Set<UUID> homeOfSingleton = Set.of();
    /** The newest view with a majority. */
    private long viewNumber;
    private Set<UUID> majority = new LinkedHashSet<>();
    private long trafficEnd = TRAFFIC;

    private Simulation(long seed, Options options, Bug bug) {
        events = new Events(seed);
        this.options = options;
        world = new World(options.leases());
        leases = new SimulatedLeases(this);
        slices = options.single() ? 1 : SLICES;
        this.bug = bug;
        areLimited = seed % 2 == 0;
    }

    /** Runs a seed and returns what was wrong. */
    static List<String> run(long seed, Options options, Bug bug) {
        var simulation = played(seed, options, bug);
        return simulation.world.faults(simulation.nodes.keySet(), !options.losesNodes(),
                options.drops() == 0);
    }

    /** Plays a seed. */
    static Simulation played(long seed, Options options, Bug bug) {
        var simulation = new Simulation(seed, options, bug);
        simulation.run();
        return simulation;
    }

    /** The entry for mutants, which are loaded by loaders of their own: {@code options} are those of a named scenario. */
    static List<String> run(long seed, String scenario) {
        return scenario.equals("circles") ? CirclePlay.run(seed, 0)
                : run(seed, Scenarios.named(scenario), Bug.NONE);
    }

    boolean isOfMajority(UUID node) {
        return majority.contains(node);
    }

    /** A node is the home of a slice from now on. That of a singleton moves only if its home leaves or is lost. */
    void opened(SimulatedNode node) {
        // A node that is lost and does not know it yet may open what it had claimed before: the majority has another home by then.
        if (options.single() && isOfMajority(node.id)) {
            if (!homeOfSingleton.isEmpty() && !homeOfSingleton.contains(node.id)) {
                world.fault(Fault.SINGLETON_MOVED, homeOfSingleton + " to " + node.id);
            }
            // So may one that had claimed it before it began to leave, and it leaves it again.
            homeOfSingleton = leaving.contains(node.id) ? Set.of() : Set.of(node.id);
        }
    }

    /** A node gives up what it is the home of: it leaves or is lost, or it was shown that another node has overtaken it, which need not be true. */
    void forgetHome(UUID node) {
        if (homeOfSingleton.contains(node)) {
            homeOfSingleton = Set.of();
        }
    }

    private void run() {
        for (int i = 0; i < options.nodes(); i++) {
            add();
        }
        if (!options.leases()) {
            announce(new LinkedHashSet<>(nodes.keySet()));
        }
        events.after(300 * MILLISECOND, this::traffic);
        plan(options.moves(), this::move);
        plan(2 * options.moves(), this::balance);
        plan(options.kills(), this::kill);
        plan(options.cuts(), this::cut);
        plan(options.freezes(), this::freeze);
        events.runUntil(TRAFFIC + 400 * MILLISECOND);
        heal();
        events.runUntil(events.now() + 1_000 * MILLISECOND);
        heal();
        var end = events.now() + ASK_LIMIT + 2_000 * MILLISECOND;
        do {
            events.runUntil(events.now() + 100 * MILLISECOND);
        } while (events.now() < end && !isOver());
        checkEnd();
    }

    private void plan(int count, Runnable what) {
        for (int i = 0; i < count; i++) {
            events.after(200 * MILLISECOND + events.upTo(1_300), what);
        }
    }

    // ---- Membership. ----

    private SimulatedNode add() {
        var node = new SimulatedNode(this, new UUID(events.number(), events.number()));
        nodes.put(node.id, node);
        node.enter(() -> node.member.host(SimulatedNode.GROUP, true, events.now()));
        node.tick();
        if (options.leases()) {
            leases.add(node);
        }
        return node;
    }

    Set<UUID> members() {
        return majority;
    }

    long viewNumber() {
        return viewNumber;
    }

    /** The database has another view. */
    void viewIs(Set<UUID> view) {
        for (var id : majority) {
            var node = nodes.get(id);
            if (!view.contains(id) && node != null && leases.hasLease(node)) {
                world.fault(Fault.LEASE_OF_A_REMOVED_NODE, id);
            }
        }
        announce(view);
    }

    /** A node has noticed that its lease is over: what its actors have is not handled. */
    void silent(SimulatedNode node) {
        node.knowsItIsOut = true;
        world.lost.add(node.id);
        world.excluded(node);
        forgetHome(node.id);
    }

    /** Makes a view the newest one with a majority, and tells all nodes what they see. */
    private void announce(Set<UUID> view) {
        var before = majority;
        majority = new LinkedHashSet<>(view);
        viewNumber++;
        if (options.leases()) {
            before.stream().filter(id -> !view.contains(id)).map(nodes::get).filter(Objects::nonNull)
                    .forEach(this::silent);
            leases.tell();
            return;
        }
        for (var node : nodes.values()) {
            if (view.contains(node.id)) {
                node.knowsItIsOut = false;
                tell(node, new LinkedHashSet<>(view), true);
            } else if (before.contains(node.id)) {
                node.knowsItIsOut = false;
                world.lost.add(node.id);
                world.excluded(node);
                forgetHome(node.id);
                tell(node, new LinkedHashSet<>(Set.of(node.id)), false);
            }
        }
    }

    private void tell(SimulatedNode node, Set<UUID> view, boolean serves) {
        if (bug == Bug.STAYS_OUT && serves && world.lost.contains(node.id)) {
            return;
        }
        var number = viewNumber;
        node.lastTold = Math.max(node.lastTold, events.now() + events.upTo(serves ? 20 : 300));
        events.at(node.lastTold, () -> node.enter(() -> {
            if (!serves || majority.equals(view)) {
                node.see(number, view, serves);
            }
        }));
    }

    /** Looks who reaches whom, as detection does after a while. */
    private void look() {
        if (options.leases()) {
            return;
        }
        var best = new TreeSet<UUID>();
        for (var node : nodes.values()) {
            if (!node.isFrozen) {
                var reached = reached(node);
                if (reached.stream().filter(majority::contains).count() * 2 > majority.size()
                        && reached.size() > best.size()) {
                    best = reached;
                }
            }
        }
        best.removeIf(id -> !majority.contains(id) && !nodes.get(id).knowsItIsOut);
        if (!best.isEmpty() && !best.equals(new TreeSet<>(majority))) {
            announce(best);
        }
    }

    private TreeSet<UUID> reached(SimulatedNode from) {
        var reached = new TreeSet<UUID>();
        for (var other : nodes.values()) {
            if (!other.isFrozen && network.connects(from.id, other.id)) {
                reached.add(other.id);
            }
        }
        return reached;
    }

    private void lookLater() {
        events.after(100 * MILLISECOND + events.upTo(200), this::look);
    }

    // ---- Faults. ----

    private List<SimulatedNode> present() {
        var present = new ArrayList<SimulatedNode>();
        for (var id : majority) {
            var node = nodes.get(id);
            if (node != null && !node.isFrozen && !leaving.contains(id)) {
                present.add(node);
            }
        }
        return present;
    }

    /** Whether the loss of one more node leaves a majority that is seen to be one. */
    private boolean mayLoseOne() {
        return options.leases() ? !present().isEmpty()
                : present().size() >= 3 && present().size() == majority.size() && leaving.isEmpty();
    }

    private SimulatedNode anyone() {
        var present = present();
        return present.get(events.below(present.size()));
    }

    private void move() {
        if (present().size() <= 2 || events.chance(0.5) && nodes.size() < 6) {
            add();
            lookLater();
        } else if (leaving.isEmpty()) {
            var node = anyone();
            leaving.add(node.id);
            forgetHome(node.id);
            node.enter(() -> node.member.host(SimulatedNode.GROUP, false, events.now()));
            finishLeave(node);
        }
    }

    private void balance() {
        if (!present().isEmpty()) {
            anyone().balance();
        }
    }

    private void finishLeave(SimulatedNode node) {
        events.after(20 * MILLISECOND, () -> {
            if (node.isDead) {
                return;
            }
            // A node that has handed all over still has letters of its clients on their way: it ends when it has told their fates.
            if (!node.member.hasHandedOver() || world.operations.stream()
                    .anyMatch(operation -> operation.sender.equals(node.id) && isPending(operation))) {
                finishLeave(node);
                return;
            }
            node.isDead = true;
            nodes.remove(node.id);
            leaving.remove(node.id);
            if (majority.contains(node.id)) { // else it was lost before it could say goodbye
                left.add(node.id);
                var rest = new LinkedHashSet<>(majority);
                rest.remove(node.id);
                announce(rest);
            }
        });
    }

    private static boolean isPending(Operation operation) {
        return operation.fates.isEmpty() || operation.isAsk && operation.answers == 0 && !operation.timedOut
                && operation.fates.stream()
                        .allMatch(fate -> fate instanceof io.fibry.cluster.home.Fate.Taken);
    }

    private void kill() {
        if (!mayLoseOne()) {
            return;
        }
        var node = anyone();
        node.isDead = true;
        nodes.remove(node.id);
        world.lost.add(node.id);
        world.killed(node);
        forgetHome(node.id);
        leases.killed(node.id);
        lookLater();
        events.after(600 * MILLISECOND + events.upTo(300), () -> {
            add();
            look();
        });
    }

    private void cut() {
        if (!mayLoseOne()) {
            return;
        }
        var alone = anyone();
        if (options.leases()) {
            leases.harm(alone);
            if (events.chance(0.3)) { // what was sent before ends though nothing more is sent
                trafficEnd = Math.min(TRAFFIC, events.now() + events.upTo(500));
            }
            return;
        }
        var ways = 1 + events.below(3); // in, out, or both
        for (var other : nodes.values()) {
            if (other != alone && (ways & 1) != 0) {
                network.cut(other.id, alone.id);
            }
            if (other != alone && (ways & 2) != 0) {
                network.cut(alone.id, other.id);
            }
        }
        lookLater();
        events.after(100 * MILLISECOND + events.upTo(700), this::heal);
    }

    private void freeze() {
        if (!mayLoseOne()) {
            return;
        }
        var node = anyone();
        node.isFrozen = true;
        lookLater();
        events.after(50 * MILLISECOND + events.upTo(options.leases() ? 1_500 : 700), () -> {
            node.thaw();
            lookLater();
            lookLater();
        });
    }

    private void heal() {
        network.heal();
        leases.heal();
        for (var node : nodes.values()) {
            if (node.isFrozen) {
                node.thaw();
            }
        }
        look();
        events.after(400 * MILLISECOND, this::look);
        events.after(900 * MILLISECOND, this::look);
    }

    // ---- Clients. ----

    private void traffic() {
        if (events.now() > trafficEnd) {
            return;
        }
        events.after(events.upTo(10), this::traffic);
        if (nodes.isEmpty()) { // all have died
            return;
        }
        var all = new ArrayList<>(nodes.values());
        var node = all.get(events.below(all.size()));
        var key = events.below(KEYS);
        node.enter(() -> {
            if (!leaving.contains(node.id) && (options.losesNodes() || node.member.isServing())) {
                for (int burst = 1 + events.below(5); burst > 0; burst--) {
                    node.send(key, events.chance(0.5));
                }
            }
        });
    }

    private boolean isOver() {
        return leaving.isEmpty() && IntStream.range(0, slices).allMatch(this::hasHome)
                && nodes.values().stream()
                        .allMatch(node -> isOfMajority(node.id) && node.member.isServing() && node.isAtRest())
                && world.operations.stream()
                        .noneMatch(operation -> nodes.containsKey(operation.sender) && isPending(operation));
    }

    private boolean hasHome(int slice) {
        return tables.home(slice).filter(nodes::containsKey).isPresent();
    }

    private void checkEnd() {
        for (var node : nodes.values()) {
            if (!majority.contains(node.id) || !node.member.isServing()) {
                world.fault(Fault.NOT_SERVING_AT_THE_END, node.member);
            }
        }
        for (int slice = 0; slice < slices; slice++) {
            if (!hasHome(slice)) {
                world.fault(Fault.NO_HOME_AT_THE_END, slice + ", with " + nodes.values());
            }
        }
    }
}
