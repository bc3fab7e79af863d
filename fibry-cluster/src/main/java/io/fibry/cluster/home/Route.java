package io.fibry.cluster.home;

import io.fibry.cluster.stream.Verdict;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The way of letters from this node to the home of a slice.
 *
 * <pre>
 *   stopped, some underway --> stopped, none underway --> flows to the home of the table
 *            ^                                                  |
 *            +--- a letter was returned, or the home changes ---+
 * </pre>
 *
 * <p>While the route is stopped, new letters wait behind those that were returned. It flows again, in a new round, when none is underway: so
 * all letters of a round come before those of the next one, and within a round the stream keeps their order.
 */
final class Route {
    private static final long PAUSE = 50_000_000L;

    private final ClusterMember member;
    private final SharedGroup group;
    private final int slice;
    /** Letters that wait, in the order in which they were sent. */
    private final ArrayDeque<Letter> held = new ArrayDeque<>();
    /** Letters of the round that have come back, in their order. */
    private final List<Letter> returned = new ArrayList<>();
    /** The node to which letters go; null while the route is stopped. */
    private @Nullable UUID target;
    private long round;
    private int underway;
    /** Nothing is sent before this time, unless the entry of the slice changes. */
    private long pauseEnd;
    private boolean pauses;

    Route(ClusterMember member, SharedGroup group, int slice) {
        this.member = member;
        this.group = group;
        this.slice = slice;
    }

    @Nullable UUID target() {
        return target;
    }

    boolean hasReturned() {
        return !returned.isEmpty();
    }

    void send(Letter letter, long now) {
        if (target == null) {
            held.add(letter);
            start(now);
        } else {
            dispatch(target, letter);
        }
    }

    private void dispatch(UUID to, Letter letter) {
        underway++;
        member.dispatch(to, letter, round);
    }

    /** A letter has got its verdict. */
    void settled(Letter letter, Verdict verdict, long now) {
        underway--;
        if (verdict == Verdict.RETURNED) {
            returned.add(letter);
            pause(now);
            stop(now);
        } else {
            start(now);
        }
    }

    /** A letter will get no verdict, since the node to which it went was lost. */
    void lost(Letter letter, boolean certainlyNotTaken) {
        underway--;
        if (certainlyNotTaken) {
            returned.add(letter);
        }
    }

    /** Lets no more letters go to the target. */
    void stop(long now) {
        if (target != null) {
            target = null;
            member.surroundings().stopped(group.name(), slice);
        }
        start(now);
    }

    private void pause(long now) {
        pauses = true;
        pauseEnd = now + PAUSE;
    }

    /** The entry of the slice, the members, or the slices that are open here may have changed. */
    void lookAgain(long now) {
        pauses = false;
        if (target != null && !target.equals(group.homeOf(slice))) {
            stop(now);
        } else {
            start(now);
        }
    }

    /** Lets time pass. */
    void tick(long now) {
        if (pauses && now - pauseEnd >= 0) {
            pauses = false;
        }
        start(now);
    }

    private void start(long now) {
        // mutant: route-flows-while-letters-are-underway
        if (target != null || underway > 0) {
            return;
        }
        for (int i = returned.size() - 1; i >= 0; i--) {
            // mutant: returned-letters-follow-newer-ones
            held.addFirst(returned.get(i));
        }
        returned.clear();
        if (!member.isServing()) {
            refuseAll();
            return;
        }
        expire(now);
        var home = pauses || held.isEmpty() ? null : group.homeOf(slice);
        if (home != null) {
            round++;
            target = home;
            while (!held.isEmpty()) {
                dispatch(home, held.remove());
            }
        }
    }

    private void expire(long now) {
        held.removeIf(letter -> {
            var over = letter.isOver(now);
            if (over) {
                member.told(letter, new Fate.Expired());
            }
            return over;
        });
    }

    private void refuseAll() {
        for (var letter : held) {
            member.told(letter, new Fate.NotServed());
        }
        held.clear();
    }
}
