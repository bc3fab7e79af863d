package io.fibry.cluster.simulation;

import io.fibry.cluster.home.Fate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What an outsider sees, and the checkers of it. A node is a <em>ghost</em> while it is out of the majority's view and does not know it:
 * what it does then is not checked for order and for other actors beside it (C1.2), and what it writes fails.
 */
final class World {
    final List<Operation> operations = new ArrayList<>();
    /** The incarnations that were lost at some time: killed, cut off or frozen. */
    final Set<UUID> lost = new LinkedHashSet<>();
    /** Whether a node that is out of the view knows it before it is. */
    private final boolean hasLeases;
    private final List<String> faults = new ArrayList<>();
    private final Map<Integer, List<Handling>> active = new HashMap<>();
    private final Map<Integer, Integer> counters = new HashMap<>();
    private final Map<Integer, Long> terms = new HashMap<>();
    private final Map<String, Integer> lastOfSender = new HashMap<>();

    World(boolean hasLeases) {
        this.hasLeases = hasLeases;
    }

    /** A message in the hands of an actor. */
    static final class Handling {
        final SimulatedNode node;
        final Operation operation;
        final int read;
        /** Its node was a ghost at some time since it began. */
        boolean isGhost;

        Handling(SimulatedNode node, Operation operation, int read) {
            this.node = node;
            this.operation = operation;
            this.read = read;
            isGhost = node.isGhost();
        }
    }

    Handling begin(SimulatedNode node, Operation operation, int slice, long term) {
        operation.handled++;
        operation.handledBy.add(node.id);
        if (operation.handled > 1 && !isRepeated(operation)) {
            fault(Fault.HANDLED_TWICE, operation);
        }
        if (!node.member.isServing()) {
            fault(Fault.BEGUN_WITHOUT_MAJORITY, operation + " on " + node.id);
        }
        if (node.isGhost() && hasLeases) {
            fault(Fault.BEGUN_LATE, operation + " on " + node.id);
        }
        var handling = new Handling(node, operation, counters.getOrDefault(operation.key, 0));
        var beside = active.computeIfAbsent(operation.key, missing -> new ArrayList<>());
        if (!handling.isGhost) {
            for (var other : beside) {
                if (!other.isGhost) {
                    fault(Fault.TWO_ACTORS, other.operation + " on " + other.node.id + " and " + operation
                            + " on " + node.id);
                }
            }
            if (terms.merge(slice, term, Math::max) > term) {
                fault(Fault.OLD_TERM, "term " + term + " of slice " + slice + " on " + node.id + " after "
                        + terms.get(slice));
            }
            checkOrder(operation, operation.sender + "/" + operation.key + "/" + term);
            if (operation.handled == 1) { // what was sent later may have been handled where it was handled before
                checkOrder(operation, operation.sender + "/" + operation.key);
            }
        }
        beside.add(handling);
        return handling;
    }

    /** Whether an operation may have been handled several times: all nodes that have handled it but one were lost, or its sender was. */
    private boolean isRepeated(Operation operation) {
        var staying = operation.handledBy.stream().filter(node -> !lost.contains(node)).count();
        return operation.isRepeatable && (lost.contains(operation.sender) || staying <= 1);
    }

    private void checkOrder(Operation operation, String where) {
        var last = lastOfSender.put(where, operation.sequence);
        if (last != null && last >= operation.sequence) {
            fault(Fault.OUT_OF_ORDER, "number " + last + " of the same sender and key, then " + operation);
        }
    }

    /** The sender of an operation is told a fate. */
    void told(Operation operation, Fate fate, long now) {
        operation.fates.add(fate);
        if (operation.isRepeatable && fate instanceof Fate.Uncertain && !lost.contains(operation.sender)
                && now < operation.begin + Simulation.ASK_LIMIT) {
            fault(Fault.NOT_REPEATED, operation);
        }
    }

    /** Ends a handling: it writes what it has read, and one. Returns the value, or a negative number if it was not written. */
    int end(Handling handling, Bug bug) {
        active.get(handling.operation.key).remove(handling);
        if (handling.isGhost) {
            return Operation.NOT_ANSWERED;
        }
        var isHarmed = handling.operation.id % 7 == 0;
        if (!isHarmed || bug != Bug.FORGETS_WRITES) {
            counters.put(handling.operation.key,
                    isHarmed && bug == Bug.UNDOES_WRITES ? handling.read - 1 : handling.read + 1);
        }
        return handling.read + 1;
    }

    void excluded(SimulatedNode node) {
        active.values().forEach(
                handlings -> handlings.forEach(handling -> handling.isGhost |= handling.node == node));
    }

    void killed(SimulatedNode node) {
        active.values().forEach(handlings -> handlings.removeIf(handling -> handling.node == node));
    }

    void fault(Fault kind, Object what) {
        if (faults.size() < 20) {
            faults.add(kind.of(what));
        }
    }

    /**
     * What was wrong. To be called when all is over; {@code survivors} are the nodes that then live. With
     * {@code repeatsInTime} there is always time to repeat an ask: no frame is lost.
     */
    List<String> faults(Set<UUID> survivors, boolean calm, boolean repeatsInTime) {
        for (var operation : operations) {
            check(operation, survivors, calm, repeatsInTime);
        }
        checkCounters();
        return faults;
    }

    private void check(Operation operation, Set<UUID> survivors, boolean calm, boolean repeatsInTime) {
        var first = operation.fates.isEmpty() ? null : operation.fates.getFirst();
        if (survivors.contains(operation.sender)) {
            var most = operation.isAsk && first instanceof Fate.Taken ? 2 : 1;
            var ends = operation.fates.stream().filter(fate -> !(fate instanceof Fate.Taken)).count();
            if (first == null || (operation.isRepeatable ? ends > 1 : operation.fates.size() > most)) {
                fault(Fault.FATES, operation);
            }
            if (operation.isAsk && operation.answers == 0 && !operation.timedOut
                    && operation.fates.stream().allMatch(fate -> fate instanceof Fate.Taken)) {
                fault(Fault.NEVER_ENDS, operation);
            }
        }
        if (repeatsInTime && operation.isRepeatable && operation.timedOut
                && !lost.contains(operation.sender)) {
            fault(Fault.NOT_ANSWERED_IN_TIME, operation);
        }
        if (operation.answers > 1) {
            fault(Fault.ANSWERED_TWICE, operation);
        }
        if (first instanceof Fate.Taken taken && operation.handled == 0 && !lost.contains(taken.node())) {
            fault(Fault.NOT_HANDLED, operation);
        }
        var certain = first instanceof Fate.Refused || first instanceof Fate.NotServed
                || (first instanceof Fate.Expired && !operation.isRepeatable);
        if (certain && operation.handled > 0) {
            fault(Fault.HANDLED_THOUGH_REFUSED, operation);
        }
        if (!lost.contains(operation.sender) && operation.fates.stream().anyMatch(
                fate -> fate instanceof Fate.Uncertain uncertain && !lost.contains(uncertain.node()))) {
            fault(Fault.UNCERTAIN_WITHOUT_LOSS, operation);
        }
        // A network that loses frames may lose an answer until the time of the ask is over. Half of the seeds have no limit.
        if (calm && survivors.contains(operation.sender)
                && (!(first instanceof Fate.Taken)
                        || operation.isAsk && operation.answers == 0
                                && (repeatsInTime || !operation.timedOut))) {
            fault(Fault.NOT_DONE_IN_CALM, operation);
        }
    }

    /** Answers are the values of counters: none twice, and a later ask has a greater one. For increments this is linearizability. */
    private void checkCounters() {
        var byKey = new LinkedHashMap<Integer, List<Operation>>();
        for (var operation : operations) {
            if (operation.answer != Operation.NOT_ANSWERED) {
                byKey.computeIfAbsent(operation.key, missing -> new ArrayList<>()).add(operation);
            }
        }
        byKey.forEach((key, answered) -> {
            answered.sort(Comparator.comparingInt(operation -> operation.answer));
            var latestBegin = Long.MIN_VALUE;
            for (int i = 0; i < answered.size(); i++) {
                var operation = answered.get(i);
                if (i > 0 && answered.get(i - 1).answer == operation.answer) {
                    fault(Fault.ONE_VALUE_FOR_TWO, answered.get(i - 1) + " and " + operation);
                }
                if (operation.end < latestBegin) {
                    fault(Fault.STALE_VALUE, operation);
                }
                latestBegin = Math.max(latestBegin, operation.begin);
            }
        });
    }
}
