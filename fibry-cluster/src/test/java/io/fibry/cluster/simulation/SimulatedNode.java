package io.fibry.cluster.simulation;

import io.fibry.cluster.engine.ClusterEngine.Change;
import io.fibry.cluster.home.ClusterMember;
import io.fibry.cluster.home.Fate;
import io.fibry.cluster.home.HomeDelivery;
import io.fibry.cluster.home.Letter;
import io.fibry.cluster.home.NodeLoad;
import io.fibry.cluster.stream.BadFrameException;
import io.fibry.cluster.stream.Verdict;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A node: a member, its copy of the tables, its actors, and its clients. */
final class SimulatedNode implements LoneSurroundings {
    static final String GROUP = "accounts";

    final UUID id;
    final ClusterMember member;
    private final Simulation simulation;
    private final TreeMap<String, byte[]> copy = new TreeMap<>();
    private final Map<Integer, Actor> actors = new LinkedHashMap<>();
    private final Map<Integer, Long> openTerms = new HashMap<>();
    /** For {@link Bug#KEEPS_ITS_FIRST_TERM}. */
    private final Map<Integer, Long> firstTerms = new HashMap<>();
    private final Map<Integer, Boolean> draining = new LinkedHashMap<>();
    private final Map<Integer, Integer> delivering = new HashMap<>();
    private final Map<Integer, Long> roomAt = new HashMap<>();
    private final Map<Integer, Integer> sequences = new HashMap<>();
    private Map<UUID, NodeLoad> told = Map.of();
    private final ArrayDeque<Runnable> whileFrozen = new ArrayDeque<>();
    boolean isDead;
    boolean isFrozen;
    /** It has been told that it does not see the majority, since it was last excluded from it. */
    boolean knowsItIsOut = true;
    long lastTold;

    private static final class Actor {
        final ArrayDeque<HomeDelivery> queue = new ArrayDeque<>();
        boolean isBusy;
    }

    SimulatedNode(Simulation simulation, UUID id) {
        this.simulation = simulation;
        this.id = id;
        member = new ClusterMember(id, simulation.slices, Simulation.ASK_LIMIT, this);
        if (simulation.options.single() && simulation.bug != Bug.DIVIDES_THE_SINGLETON) {
            member.describe(GROUP, 1, 1);
        }
    }

    /** It is not in the majority's view, and does not know it. */
    boolean isGhost() {
        return !simulation.isOfMajority(id);
    }

    /** Lets something happen on this node: never if it is dead, later if it is frozen. */
    void enter(Runnable what) {
        if (isFrozen) {
            whileFrozen.add(what);
        } else if (!isDead) {
            what.run();
            member.transmitNow(simulation.events.now());
        }
    }

    void thaw() {
        isFrozen = false;
        while (!whileFrozen.isEmpty()) {
            enter(whileFrozen.remove());
        }
    }

    /** Whether all that was served has ended. */
    boolean mayJoin() {
        return member.hasEnded() && isAtRest();
    }

    void tick() {
        enter(() -> member.tick(simulation.events.now()));
        if (!isDead) {
            simulation.events.after(20 * Events.MILLISECOND, this::tick);
        }
    }

    /** An entry of this node's copy changes. */
    void copy(String name, byte[] value) {
        if (value == null) {
            copy.remove(name);
        } else {
            copy.put(name, value);
        }
        var colon = name.indexOf(':');
        member.entryChanged(name.substring(0, colon), name.substring(colon + 1), simulation.events.now());
    }

    /** The members that this node sees change; if they are the majority, its copy is complete. */
    void see(long number, Set<UUID> view, boolean majority) {
        if (majority) {
            copy.clear();
            copy.putAll(simulation.tables.truth());
        } else {
            knowsItIsOut = true;
        }
        member.viewChanged(number, view, majority, majority ? simulation.left : Set.of(),
                simulation.events.now());
    }

    /** Slices may move by load: this node is often the busiest one, and what others have told is as old as it likes. */
    void balance() {
        var events = simulation.events;
        told = simulation.members().stream()
                .collect(Collectors.toMap(node -> node, node -> new NodeLoad(1, events.below(5_000))));
        var loads = IntStream.range(0, simulation.slices).map(slice -> events.below(4_000)).toArray();
        enter(() -> member.balance(GROUP, loads, 0, events.now()));
    }

    // ---- Clients. ----

    void send(int key, boolean isAsk) {
        var events = simulation.events;
        var world = simulation.world;
        var operation = new Operation(world.operations.size() + 1, id, key,
                sequences.merge(key, 1, Integer::sum), isAsk,
                isAsk && simulation.options.repeatsAsks() && events.chance(0.5), events.now());
        world.operations.add(operation);
        var body = ByteBuffer.allocate(Integer.BYTES).putInt(operation.id).array();
        var isLimited = isAsk && simulation.areLimited;
        var deadline = isLimited ? events.now() + Simulation.ASK_LIMIT : Letter.NO_DEADLINE;
        operation.letter =
                new Letter(GROUP, key % simulation.slices, isAsk ? operation.id : 0, deadline, body,
                        operation, operation.isRepeatable && simulation.bug != Bug.REPEATS_NOTHING);
        if (isLimited) {
            events.after(Simulation.ASK_LIMIT, () -> enter(() -> {
                if (operation.answers == 0
                        && operation.fates.stream().allMatch(fate -> fate instanceof Fate.Taken)) {
                    operation.timedOut = true;
                    member.cancel(operation.letter, events.now());
                }
            }));
        }
        member.send(operation.letter, events.now());
    }

    // ---- Actors. ----

    private Operation operation(HomeDelivery delivery) {
        return simulation.world.operations.get(ByteBuffer.wrap(delivery.body()).getInt() - 1);
    }

    @Override
    public void deliver(HomeDelivery delivery) {
        if (!member.isServing() || !openTerms.containsKey(delivery.slice())
                || draining.containsKey(delivery.slice())) {
            simulation.world.fault(Fault.NOT_HOME, operation(delivery) + " on " + id);
            return;
        }
        if (simulation.bug == Bug.DELIVERS_AGAIN) {
            simulation.events.after(200 * Events.MILLISECOND, () -> enter(() -> deliver(delivery)));
        }
        delivering.merge(delivery.slice(), 1, Integer::sum);
        simulation.events.at(roomAt(delivery.slice()), () -> enter(() -> {
            delivering.merge(delivery.slice(), -1, Integer::sum);
            var isOver = Boolean.FALSE.equals(draining.get(delivery.slice()));
            if (!isOver) {
                var operation = operation(delivery);
                var actor = actors.computeIfAbsent(operation.key, missing -> new Actor());
                simulation.bug.put(actor.queue, delivery);
                step(operation.key, delivery.slice());
            }
            var verdict =
                    isOver || simulation.bug == Bug.REFUSES_WHAT_IT_TAKES ? Verdict.STOPPED : Verdict.TAKEN;
            member.settle(delivery, verdict, simulation.events.now());
            endIfDrained(delivery.slice());
        }));
    }

    /** Returns when there is room for a message. Those of a slice go in their order. */
    private long roomAt(int slice) {
        var events = simulation.events;
        var wait = simulation.options.waits() && events.chance(0.1) ? events.upTo(200) : 0;
        return roomAt.merge(slice, events.now() + wait, Math::max);
    }

    private void step(int key, int slice) {
        var actor = actors.get(key);
        if (actor == null || actor.isBusy || actor.queue.isEmpty()) {
            return;
        }
        if (simulation.options.leases() && simulation.bug != Bug.GATE_IS_OFF
                && !simulation.leases.hasLease(this)) {
            simulation.leases.requireLease(this);
            return;
        }
        var delivery = actor.queue.remove();
        actor.isBusy = true;
        var handling = simulation.world.begin(this, operation(delivery), slice, openTerms.get(slice));
        simulation.events.after(simulation.events.upTo(handling.operation.id % 16 == 0 ? 300 : 10),
                () -> enter(() -> {
                    actor.isBusy = false;
                    var value = simulation.world.end(handling, simulation.bug);
                    if (!(simulation.bug.forgetsAnswers() && delivery.ask() % 7 == 0)) {
                        answer(delivery, value);
                    }
                    step(key, slice);
                    endIfDrained(slice);
                }));
    }

    private void answer(HomeDelivery delivery, int value) {
        if (delivery.ask() != 0) {
            member.answer(delivery, ByteBuffer.allocate(Integer.BYTES).putInt(value).array(),
                    simulation.events.now());
        }
    }

    /** A message whose actor ends before it handles it is answered as well. */
    private void drop(HomeDelivery delivery) {
        simulation.events.after(0, () -> enter(() -> answer(delivery, Operation.NOT_ANSWERED)));
    }

    @Override
    public void drain(String group, int slice, boolean gently) {
        if (!gently) {
            simulation.forgetHome(id);
        }
        draining.put(slice, gently);
        if (!gently && simulation.bug != Bug.GOES_ON) {
            actors.forEach((key, actor) -> {
                if (key % simulation.slices == slice) {
                    actor.queue.forEach(this::drop);
                    actor.queue.clear();
                }
            });
        }
        simulation.events.after(0, () -> enter(() -> endIfDrained(slice)));
    }

    private void endIfDrained(int slice) {
        if (!draining.containsKey(slice) || delivering.getOrDefault(slice, 0) > 0) {
            return;
        }
        var isAtRest = actors.entrySet().stream().filter(entry -> entry.getKey() % simulation.slices == slice)
                .allMatch(entry -> !entry.getValue().isBusy && entry.getValue().queue.isEmpty());
        if (isAtRest || simulation.bug == Bug.DRAINS_EARLY) {
            if (isAtRest) {
                actors.keySet().removeIf(key -> key % simulation.slices == slice);
                openTerms.remove(slice);
            }
            draining.remove(slice);
            member.drained(GROUP, slice, simulation.events.now());
        }
    }

    // ---- Surroundings. ----

    @Override
    public byte[] entry(String table, String key) {
        return copy.get(table + ":" + key);
    }

    @Override
    public Map<String, byte[]> entries(String table) {
        var found = new TreeMap<String, byte[]>();
        copy.forEach((name, value) -> {
            if (name.startsWith(table + ":")) {
                found.put(name.substring(table.length() + 1), value);
            }
        });
        return found;
    }

    @Override
    public void propose(Change change) {
        simulation.tables.change(this, change);
    }

    @Override
    public void dispatched(Letter letter, UUID node) {
        // How much is underway is not simulated.
    }

    @Override
    public void stopped(String group, int slice) {
        // How much is underway is not examined.
    }

    @Override
    public void noted(UUID from, String group, NodeLoad load) {
        // Nodes of the simulation have no workers.
    }

    @Override
    public Map<UUID, NodeLoad> loads(String group) {
        return told;
    }

    @Override
    public void probed(UUID from, long ask, byte[] probe) {
        // Actors of the simulation do not wait for each other.
    }

    @Override
    public void hurry(String group, int slice) {
        // No handler of the simulation is stuck.
    }

    @Override
    public void transmit(UUID node, ByteBuffer frame) {
        simulation.network.carry(id, node, frame);
    }

    void receive(UUID from, ByteBuffer frame) {
        try {
            member.received(from, frame, simulation.events.now());
        } catch (BadFrameException bad) {
            simulation.world.fault(Fault.BAD_FRAME, bad);
        }
    }

    @Override
    public void told(Letter letter, Fate fate) {
        if (simulation.bug == Bug.FORGETS_UNCERTAIN && fate instanceof Fate.Uncertain) {
            return;
        }
        var told = simulation.bug == Bug.TELLS_UNCERTAIN && fate instanceof Fate.Taken taken
                ? new Fate.Uncertain(taken.node())
                : fate;
        simulation.world.told((Operation) letter.origin(), told, simulation.events.now());
    }

    @Override
    public void answered(Letter letter, byte[] answer) {
        var operation = (Operation) letter.origin();
        operation.answers += simulation.bug == Bug.ANSWERS_TWICE ? 2 : 1;
        operation.end = simulation.events.now();
        operation.answer = ByteBuffer.wrap(answer).getInt();
    }

    @Override
    public void cancelled(UUID from, long ask) {
        // Its handler may go on: nobody waits.
    }

    @Override
    public void opened(String group, int slice, long term, byte[] entry) {
        if (actors.keySet().stream().anyMatch(key -> key % simulation.slices == slice)) {
            simulation.world.fault(Fault.OPENED_TOO_EARLY, "slice " + slice + " on " + id);
        }
        openTerms.put(slice,
                simulation.bug == Bug.KEEPS_ITS_FIRST_TERM
                        ? firstTerms.computeIfAbsent(slice, missing -> term) : term);
        simulation.opened(this);
    }

    @Override
    public void unlike(String group, UUID node, int kind) {
        throw new IllegalStateException("all nodes share the same");
    }

    /** Whether its actors have handled all that they have. */
    boolean isAtRest() {
        return actors.values().stream().allMatch(actor -> !actor.isBusy && actor.queue.isEmpty());
    }
}
