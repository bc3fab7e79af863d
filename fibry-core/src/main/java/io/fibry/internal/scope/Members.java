package io.fibry.internal.scope;

import io.fibry.internal.actor.Cell;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** The list of the actors of a scope. */
public final class Members {
    private static final Predicate<Cell> HAS_NOT_EXITED = Members::hasNotExited;
    private static final Predicate<Cell> IS_UNTOLD = Members::isUntold;
    private static final Predicate<Member> IS_GONE = Members::isGone;

    private final Set<Member> members = ConcurrentHashMap.newKeySet();
    private final ReferenceQueue<Cell> collected = new ReferenceQueue<>();
    /** Spreads the members in the set. If a race loses an update, two members have the same hash, which is allowed. */
    private int made;

    void add(Cell cell, boolean held) {
        removeCollected();
        made += 0x9E3779B9;
        var member = new Member(cell, collected, made);
        if (held) {
            member.holdOn(cell);
        }
        cell.extendedState().membership = member;
        members.add(member);
    }

    void remove(Cell cell) {
        if (cell.extendedState().membership instanceof Member member) {
            members.remove(member);
        }
    }

    /** Returns the actors that have not exited. An actor that has exited removes itself a moment later. */
    List<Cell> cells() {
        return select(HAS_NOT_EXITED);
    }

    /** Returns the actors that have not exited, or whose watchers are still to be told. */
    List<Cell> untold() {
        // mutant: watcher-of-an-end-is-taken-for-idle
        return select(IS_UNTOLD);
    }

    /** Returns whether an actor has exited and sent its watchers their messages. Makes no extended state. */
    private static boolean hasToldWatchers(Cell cell) {
        var known = cell.extendedStateIfAny();
        return known != null && known.exited.isFinished();
    }

    private List<Cell> select(Predicate<Cell> which) {
        var cells = new ArrayList<Cell>();
        for (var member : members) {
            var cell = member.get();
            if (cell != null && which.test(cell)) {
                cells.add(cell);
            }
        }
        return cells;
    }

    /**
     * Removes the actors that were collected, and those that have told their watchers and are about to remove
     * themselves. The
     * others stay: the scope around waits for them.
     */
    void removeGone() {
        members.removeIf(IS_GONE);
    }

    private static boolean hasNotExited(Cell cell) {
        return !cell.hasExited();
    }

    private static boolean isUntold(Cell cell) {
        return !hasToldWatchers(cell);
    }

    private static boolean isGone(Member member) {
        var cell = member.get();
        // mutant: watcher-in-the-scope-around-is-taken-for-idle
        return cell == null || hasToldWatchers(cell);
    }

    private void removeCollected() {
        for (var gone = collected.poll(); gone != null; gone = collected.poll()) {
            members.remove(gone);
        }
    }

    /** Returns whether all entries were removed. This method reads a count and looks at no entry. */
    boolean isEmpty() {
        removeCollected();
        return members.isEmpty();
    }

    public int size() {
        return members.size();
    }
}
