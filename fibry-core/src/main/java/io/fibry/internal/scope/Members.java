package io.fibry.internal.scope;

import io.fibry.internal.actor.Cell;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.StackReserve;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The list of the actors of a scope. It is divided into parts by the identity hash of the actors, so that threads which
 * make actors rarely meet. An actor is found by that hash, and does not know its entry: an actor that has only been
 * made needs no extended state.
 *
 * <p>A thread that has added or removed an actor has written the size of its part. So of two threads that remove the last
 * two actors, the later one sees that the list is empty.
 */
public final class Members {
    private static final Predicate<Cell> HAS_NOT_EXITED = Members::hasNotExited;
    private static final Predicate<Cell> IS_UNTOLD = Members::isUntold;
    private static final Predicate<Member> IS_GONE = Members::isGone;
    private static final Comparator<Member> BY_NUMBER = Members::compareNumbers;
    private static final int PARTS = 16;

    /**
     * The parts; each is made for its first actor. The maker lists the actor and then reads {@code
     * ScopeStage.stage}; a closer does it the other way round.
     */
    private final AtomicReferenceArray<MemberTable> parts = new AtomicReferenceArray<>(PARTS);
    private final ReferenceQueue<Cell> collected = new ReferenceQueue<>();
    /**
     * The number of the next actor in a test. The hashes differ from run to run, and a seeded schedule has to be the same in
     * each, so tests list the actors in the order in which they were made. Programs do not, which costs makers nothing, and
     * needs no sorting: nothing depends on an order.
     */
    private int made;

    /** Adds an actor. It is not collected as long as it is in the list if it is to be held. */
    void add(Cell cell, boolean held) {
        StackReserve.require(); // the lock of a part is to be released
        removeCollected();
        var hash = hash(cell);
        madePart(hash).add(Interleave.isOn() ? entry(cell, hash, made++, held) : entry(cell, hash, held));
    }

    private Member entry(Cell cell, int hash, boolean held) {
        return held ? new Member.Held(cell, collected, hash, 0) : new Member(cell, collected, hash);
    }

    private Member entry(Cell cell, int hash, int number, boolean held) {
        return held ? new Member.Held(cell, collected, hash, number)
                : new Member.Numbered(cell, collected, hash, number);
    }

    /** Keeps an actor of this list from being collected. */
    void holdOn(Cell cell) {
        StackReserve.require();
        var hash = hash(cell);
        var part = part(hash);
        if (part != null) {
            part.hold(cell, hash, collected);
        }
    }

    void remove(Cell cell) {
        var hash = hash(cell);
        var part = part(hash);
        if (part != null) {
            part.remove(cell, hash);
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
        var members = new ArrayList<Member>();
        for (int i = 0; i < PARTS; i++) {
            var part = parts.get(i);
            if (part != null) {
                part.addTo(members);
            }
        }
        if (Interleave.isOn()) {
            members.sort(BY_NUMBER);
        }
        var cells = new ArrayList<Cell>(members.size());
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
     * themselves. The others stay: the scope around waits for them. The caller has enough stack for this.
     */
    void removeGone() {
        for (int i = 0; i < PARTS; i++) {
            var part = parts.get(i);
            if (part != null) {
                part.removeIf(IS_GONE);
            }
        }
    }

    private static int compareNumbers(Member one, Member other) {
        return Integer.compare(one.number(), other.number());
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
        for (Reference<? extends Cell> gone = collected.poll(); gone != null; gone = collected.poll()) {
            var member = (Member) gone;
            var part = part(member.hash);
            if (part != null) {
                part.remove(member);
            }
        }
    }

    /** Returns whether all entries were removed. This method reads counts and looks at no entry. */
    boolean isEmpty() {
        removeCollected();
        return size() == 0;
    }

    public int size() {
        var size = 0;
        for (int i = 0; i < PARTS; i++) {
            var part = parts.get(i);
            size += part == null ? 0 : part.size();
        }
        return size;
    }

    /** Returns a number that is another one when an actor was added since. */
    long added() {
        long added = 0;
        for (int i = 0; i < PARTS; i++) {
            var part = parts.get(i);
            added += part == null ? 0 : part.added();
        }
        return added;
    }

    private @Nullable MemberTable part(int hash) {
        return parts.get(hash & (PARTS - 1));
    }

    private MemberTable madePart(int hash) {
        var known = part(hash);
        if (known != null) {
            return known;
        }
        var fresh = new MemberTable();
        var other = parts.compareAndExchange(hash & (PARTS - 1), null, fresh);
        return other == null ? fresh : other;
    }

    /** Returns the hash of an actor; its lowest bits choose the part. */
    private static int hash(Cell cell) {
        return System.identityHashCode(cell);
    }
}
