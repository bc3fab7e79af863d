package io.fibry.internal.dump;

import io.fibry.dump.WaitChain;
import io.fibry.dump.WaitChain.Ending;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.details.TimeoutDetails;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The chains of actors that wait for one another. Confined to the thread that takes the dump. The edges are read one after
 * another while the actors go on, so a chain may have an edge that is over by now.
 */
final class WaitChains {
    private static final int LONGEST = 64;
    /** The most chains that are shown with the same last actor. */
    private static final int FOR_EACH_END = 3;
    /** The most last actors whose chains are shown. */
    private static final int MOST_ENDS = 50;
    private static final String AT = " at ";

    /** A path of edges; {@code closes} if its last actor waits for an actor of the path. */
    private record Path(List<Cell> cells, boolean closes) {
        Cell end() {
            return cells.getLast();
        }
    }

    /** For each actor that waits the one that it waits for. */
    private final IdentityHashMap<Cell, Cell> edges = new IdentityHashMap<>();

    /** Notes for whom an actor waits, if it waits. */
    void add(Cell cell) {
        var target = target(cell);
        if (target != null) {
            edges.put(cell, target);
        }
    }

    private static @Nullable Cell target(Cell cell) {
        var edge = cell.waiting();
        return edge == null || edge.isOver() ? null : edge.target();
    }

    List<WaitChain> found() {
        Set<Cell> targets = Collections.newSetFromMap(new IdentityHashMap<>());
        targets.addAll(edges.values());
        Set<Cell> shown = Collections.newSetFromMap(new IdentityHashMap<>());
        var byEnd = new IdentityHashMap<Cell, List<Path>>();
        for (var begin : edges.keySet()) {
            if (!targets.contains(begin)) {
                add(path(begin, shown), byEnd);
            }
        }
        for (var begin : edges.keySet()) {
            if (!shown.contains(begin)) { // each actor of its chain is waited for: a cycle
                add(path(begin, shown), byEnd);
            }
        }
        var chains = new ArrayList<WaitChain>();
        byEnd.values().stream().sorted(Comparator.<List<Path>>comparingInt(List::size).reversed())
                .limit(MOST_ENDS)
                .forEach(paths -> addTo(chains, paths));
        return chains;
    }

    private static void add(Path path, IdentityHashMap<Cell, List<Path>> byEnd) {
        byEnd.computeIfAbsent(path.end(), any -> new ArrayList<>()).add(path);
    }

    private Path path(Cell begin, Set<Cell> shown) {
        var path = new ArrayList<Cell>();
        Set<Cell> passed = Collections.newSetFromMap(new IdentityHashMap<>());
        @Nullable Cell at = begin;
        while (at != null && path.size() < LONGEST && passed.add(at)) {
            path.add(at);
            shown.add(at);
            var known = edges.get(at);
            at = known == null ? target(at) : known; // an actor that is not listed may wait as well
        }
        return new Path(path, at != null && passed.contains(at));
    }

    private void addTo(List<WaitChain> chains, List<Path> paths) {
        paths.sort(Comparator.<Path>comparingInt(path -> path.cells.size()).reversed());
        Set<Cell> waiting = Collections.newSetFromMap(new IdentityHashMap<>());
        paths.forEach(path -> waiting.addAll(path.cells));
        var some = paths.subList(0, Math.min(FOR_EACH_END, paths.size()));
        some.forEach(path -> path.cells.forEach(waiting::remove));
        for (var path : some) {
            if (path.cells.size() > 1) {
                chains.add(chain(path, waiting.size()));
            }
        }
    }

    private static WaitChain chain(Path path, int others) {
        var end = path.end();
        var stack = TimeoutDetails.stack(end);
        var place = TimeoutDetails.place(stack.toArray(StackTraceElement[]::new));
        return new WaitChain(path.cells.stream().map(Cell::name).toList(), others, ending(path),
                place.startsWith(AT) ? place.substring(AT.length()) : place);
    }

    private static Ending ending(Path path) {
        if (path.closes) {
            return Ending.CYCLE;
        }
        var end = path.end();
        var thread = end.turn() == null ? null : end.worker();
        if (thread == null) {
            return Ending.BEHIND;
        }
        return switch (thread.getState()) {
            case BLOCKED, WAITING, TIMED_WAITING -> Ending.BLOCKED;
            case NEW, RUNNABLE, TERMINATED -> Ending.RUNS;
        };
    }
}
