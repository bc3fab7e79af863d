package io.fibry.cluster.infinispan;

import io.fibry.cluster.engine.ClusterEngine.NodeInfo;
import io.fibry.cluster.engine.ClusterEngine.View;
import io.fibry.cluster.engine.NotServedException;
import io.fibry.cluster.infinispan.InfinispanEngine.Joined;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.infinispan.remoting.transport.Address;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the listener of an engine the views and the entries, and remembers what was told. Only what differs from that is told.
 *
 * <p>The clerk of the engine calls the methods that tell; any thread may call the others.
 */
final class Reports {
    private static final Logger LOGGER = LoggerFactory.getLogger(Reports.class);

    private final InfinispanEngine engine;
    /** The clerk alone adds and removes rows; other threads read. */
    private final Map<UUID, NodeRow> rows = new ConcurrentHashMap<>();
    /** Written by the clerk and by the thread that closes the engine, as a whole. */
    private volatile Sight sight = new Sight(new View(0, List.of(), false), Map.of());

    // Of the clerk alone.
    private final Map<String, byte[]> told = new HashMap<>();
    /** How often others had settled a view without this node when a view was told last. */
    private int absences;

    /** A view, and where its members are. */
    private record Sight(View view, Map<UUID, Address> addresses) {}

    Reports(InfinispanEngine engine) {
        this.engine = engine;
    }

    /** Returns the view that was told last. */
    View view() {
        return sight.view;
    }

    /** Returns where a node of the view is that was told last. */
    Optional<Address> address(UUID incarnation) {
        return Optional.ofNullable(sight.addresses.get(incarnation));
    }

    /** Returns what is known about a node that is there or was there. */
    Optional<NodeRow> row(UUID node) {
        return Optional.ofNullable(rows.get(node));
    }

    /** The engine is closed: this node sees no other any more. */
    void end() {
        sight = new Sight(new View(sight.view.number(), List.of(), false), Map.of());
    }

    /** Tells all entries that differ from what was told last. */
    void tellEntries() {
        var me = engine.joined().join();
        if (me.entries().isAvailable()) {
            try {
                var names = me.reconciliation().copies().names();
                names.addAll(told.keySet());
                names.forEach(this::tellEntry);
            } catch (NotServedException cut) {
                LOGGER.debug("{} was cut off while it read the tables", engine.where(), cut);
            }
        }
    }

    /** Tells an entry, if it differs from what was told last. */
    void tellEntry(String name) {
        var me = engine.joined().join();
        byte @Nullable [] value;
        try {
            value = engine.read(name).orElse(null);
        } catch (NotServedException later) {
            LOGGER.trace("{} is read when a majority is back", name, later);
            return;
        }
        if (Arrays.equals(told.get(name), value)) {
            return;
        }
        if (value == null) {
            told.remove(name);
        } else {
            told.put(name, value);
        }
        if (Entries.table(name).equals(InfinispanEngine.NODES)) {
            if (value != null) {
                rows.put(UUID.fromString(Entries.key(name)), NodeRow.of(value));
            }
            engine.look();
        } else if (name.equals(InfinispanEngine.TURN)) {
            engine.look();
        } else {
            report(() -> me.listener().entryChanged(Entries.table(name), Entries.key(name),
                    value == null ? null : value.clone()));
        }
    }

    /**
     * Tells the newest view. A view with a majority is told once it is settled, with the number that JGroups has given it and with all of its
     * members, so that all nodes are told the same views. While a majority is likely, the view that was told last stays. After a view without
     * a majority, and after others have settled a view without this node, no view with a majority is told before the
     * tables are complete.
     *
     * <p>Infinispan may take the rest for a minority after a node has left, and denies the entries until it is told better ({@link Upkeep}). That is no
     * minority if the quorum knows the rest to be the majority.
     */
    void tellView() {
        var me = engine.joined().join();
        var quorum = engine.wires().join().quorum();
        if (quorum.isInDoubt()) {
            tellMinority(me);
            return;
        }
        var settled = quorum.settledView().filter(view -> me.entries().isAvailable());
        if (settled.isEmpty()) {
            if (me.entries().isAvailable() ? !quorum.isLikely() : !quorum.isLikelyRest()) {
                tellMinority(me);
            }
            return;
        }
        var view = settled.orElseThrow();
        if (sight.view.majority() && view.absences() > absences) {
            tellMinority(me);
        }
        var next = sightOf(me, view.number(), true, view.members()::contains);
        // A member without a row is about to write it, and this method is called again after that.
        if (next.view.members().size() == view.members().size()
                && (sight.view.majority() || engine.synced())
                && !(sight.view.majority() && sight.view.number() == view.number())) {
            absences = view.absences();
            tellView(me, next);
        }
    }

    private void tellMinority(Joined me) {
        if (sight.view.majority()) {
            tellView(me, sightOf(me, sight.view.number(), false, member -> true));
        }
    }

    /** Returns a view of those members that are wanted and have a row. */
    private Sight sightOf(Joined me, long number, boolean isMajority, Predicate<UUID> isWanted) {
        var addresses = new HashMap<UUID, Address>();
        var members = new ArrayList<NodeInfo>();
        for (var address : me.manager().getMembers()) {
            var row = rows.get(address.getNodeUUID());
            if (row != null && isWanted.test(address.getNodeUUID())) {
                addresses.put(row.node().incarnation(), address);
                members.add(row.node());
            }
        }
        return new Sight(new View(number, List.copyOf(members), isMajority), Map.copyOf(addresses));
    }

    private void tellView(Joined me, Sight next) {
        var before = sight;
        sight = next;
        var left = new HashSet<UUID>();
        before.addresses.forEach((incarnation, address) -> {
            var row = rows.get(address.getNodeUUID());
            if (!next.addresses.containsKey(incarnation) && row != null && row.isLeaving()) {
                left.add(incarnation);
            }
        });
        report(() -> me.listener().viewChanged(next.view, Set.copyOf(left)));
        rows.keySet()
                .removeIf(each -> !told.containsKey(Entries.name(InfinispanEngine.NODES, each.toString()))
                        && next.addresses.values().stream()
                                .noneMatch(address -> address.getNodeUUID().equals(each)));
    }

    private void report(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException failed) {
            LOGGER.error("The listener of the engine of {} failed", engine.where(), failed);
        }
    }
}
