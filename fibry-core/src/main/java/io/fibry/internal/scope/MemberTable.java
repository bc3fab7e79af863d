package io.fibry.internal.scope;

import io.fibry.internal.actor.Cell;
import java.lang.ref.ReferenceQueue;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A part of the list of the actors of a scope: a hash table that takes about eight bytes for each entry, since there may be
 * millions of entries. Entries that collide lie in the next free places. At least a third of the places is free, so that
 * a search ends soon. When an entry is removed, the entries behind it move up: no place has to be marked as used.
 *
 * <p>All is guarded by the lock, under which no code of others runs; the size can also be read without it. The callers
 * have enough stack for what they call here, so the lock is always released.
 */
final class MemberTable {
    private static final int LEAST_PLACES = 4;
    /** One more entry that was added, in the upper half of the counts. */
    private static final long ONE_ADDED = 1L << Integer.SIZE;

    /** Guards {@code places}. Its holder takes no other lock and runs no code of others. */
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Member[] places = new @Nullable Member[LEAST_PLACES];
    /**
     * The size, and in the upper half how many entries were ever added. Written under the lock: of two threads that remove the
     * last two actors, the later one sees an empty list.
     */
    private volatile long counts;

    int size() {
        return (int) counts;
    }

    long added() {
        return counts >>> Integer.SIZE;
    }

    void add(Member member) {
        lock.lock();
        try {
            if (3 * (size() + 1) > 2 * places.length) {
                places = rehashed(2 * places.length);
            }
            put(member, places);
            setCounts(counts + ONE_ADDED + 1);
        } finally {
            lock.unlock();
        }
    }

    /** Removes an entry, if it is there. */
    void remove(Member member) {
        lock.lock();
        try {
            var place = home(member.hash);
            while (places[place] != null && places[place] != member) {
                place = next(place);
            }
            removeAt(place);
        } finally {
            lock.unlock();
        }
    }

    /** Removes the entry of an actor, if it is there. */
    void remove(Cell cell, int hash) {
        lock.lock();
        try {
            removeAt(find(cell, hash));
        } finally {
            lock.unlock();
        }
    }

    /** Keeps an actor from being collected, if it has an entry. */
    void hold(Cell cell, int hash, ReferenceQueue<Cell> collected) {
        lock.lock();
        try {
            var place = find(cell, hash);
            var entry = places[place];
            if (entry != null && !(entry instanceof Member.Held)) {
                places[place] = new Member.Held(cell, collected, hash, entry.number());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Removes the entries for which the predicate holds. If the predicate throws, all entries stay. */
    void removeIf(Predicate<Member> which) {
        lock.lock();
        try {
            var left = new @Nullable Member[places.length];
            var kept = 0;
            for (var member : places) {
                if (member != null && !which.test(member)) {
                    put(member, left);
                    kept++;
                }
            }
            places = left;
            setCounts(counts - size() + kept);
        } finally {
            lock.unlock();
        }
    }

    /** Adds all entries to a list. */
    void addTo(List<Member> list) {
        lock.lock();
        try {
            for (var member : places) {
                if (member != null) {
                    list.add(member);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    // ---- Called with the lock. ----

    /** The counts are volatile for those who read them without the lock. */
    private void setCounts(long both) {
        counts = both;
    }

    /** The lowest bits have chosen this part. */
    private static int home(int hash, int length) {
        return hash >>> 4 & (length - 1);
    }

    private int home(int hash) {
        return home(hash, places.length);
    }

    private int next(int place) {
        return (place + 1) & (places.length - 1);
    }

    /** Returns the place of the actor's entry; a free place if there is none. */
    private int find(Cell cell, int hash) {
        var place = home(hash);
        for (var member = places[place]; member != null; member = places[place]) {
            if (member.refersTo(cell)) {
                return place;
            }
            place = next(place);
        }
        return place;
    }

    /** Puts an entry into a table in which it has a place. */
    private static void put(Member member, @Nullable Member[] table) {
        var place = home(member.hash, table.length);
        while (table[place] != null) {
            place = (place + 1) & (table.length - 1);
        }
        table[place] = member;
    }

    /** Frees a place. An entry behind it moves up if a search for it would otherwise end at the free place. */
    private void removeAt(int place) {
        if (places[place] == null) {
            return;
        }
        var free = place;
        for (var at = next(free);; at = next(at)) {
            var member = places[at];
            if (member == null) {
                break;
            }
            var distance = (at - home(member.hash)) & (places.length - 1);
            if (distance >= ((at - free) & (places.length - 1))) {
                places[free] = member;
                free = at;
            }
        }
        places[free] = null;
        setCounts(counts - 1);
        if (places.length > LEAST_PLACES && 8 * size() < places.length) {
            shrink();
        }
    }

    private void shrink() {
        try {
            places = rehashed(places.length / 2);
        } catch (OutOfMemoryError e) {
            // The larger table serves as well.
        }
    }

    /** Returns the entries in a table of another length. */
    private @Nullable Member[] rehashed(int length) {
        var fresh = new @Nullable Member[length];
        for (var member : places) {
            if (member != null) {
                put(member, fresh);
            }
        }
        return fresh;
    }
}
