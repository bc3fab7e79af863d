package io.fibry.internal.scope;

import io.fibry.internal.actor.Cell;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The list of the actors of a scope. */
public final class Members {
    private final Set<Member> members = ConcurrentHashMap.newKeySet();
    private final ReferenceQueue<Cell> collected = new ReferenceQueue<>();
    /** Spreads the members in the set. If a race loses an update, two members have the same hash, which is allowed. */
    private int made;

    void add(Cell cell, boolean held) {
        for (var gone = collected.poll(); gone != null; gone = collected.poll()) {
            members.remove(gone);
        }
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

    /** Returns the actors that have not been collected. */
    List<Cell> cells() {
        var cells = new ArrayList<Cell>();
        for (var member : members) {
            var cell = member.get();
            if (cell != null) {
                cells.add(cell);
            }
        }
        return cells;
    }

    public int size() {
        return members.size();
    }
}
