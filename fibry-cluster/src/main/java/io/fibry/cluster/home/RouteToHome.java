package io.fibry.cluster.home;

import io.fibry.cluster.stream.Verdict;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
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
 * all letters of a round come before those of the next one, and within a round the stream keeps their order. It flows to no other home
 * while an answer is missing to a letter that may have to be repeated: such a letter then comes before all that wait.
 */
final class RouteToHome extends Route {
    private static final long PAUSE = 50_000_000L;

    private final SharedGroup group;
    private final int slice;
    /** Letters that wait, those that have come back among them, by their numbers: in the order in which they were sent. */
    private final TreeMap<Long, Letter> held = new TreeMap<>();
    /** Letters that a home has taken, and that may have to be repeated. */
    private final Map<Letter, UUID> unanswered = new LinkedHashMap<>();
    /** The first letter of this round that was returned, as far as is known: its home takes no later one of the round. */
    private long firstReturned = Long.MAX_VALUE;
    /** The node to which letters go; null while the route is stopped. */
    private @Nullable UUID target;
    private long round;
    private int underway;
    /** Nothing is sent before this time, unless the entry of the slice changes. */
    private long pauseEnd;
    private boolean pauses;

    RouteToHome(ClusterMember member, SharedGroup group, int slice) {
        super(member);
        this.group = group;
        this.slice = slice;
    }

    @Nullable UUID target() {
        return target;
    }

    /** A home takes no letter of a round behind one that it has returned; it may have taken those with lower numbers. */
    @Override
    boolean hasReturned(Letter letter) {
        // mutant: letter-before-a-returned-one-is-taken-for-not-taken
        return letter.number() > firstReturned;
    }

    @Override
    boolean repeats(Letter letter, Verdict verdict, long now) {
        // A home whose actors have stopped does not see the majority: what may be repeated goes to the next home.
        return verdict == Verdict.RETURNED || (verdict == Verdict.STOPPED && letter.mayBeRepeated(now));
    }

    @Override
    void send(Letter letter, long now) {
        if (target == null) {
            hold(letter);
            start(now);
        } else {
            dispatch(target, letter);
        }
    }

    /** Whether letters wait, or have no verdict. */
    boolean isBusy() {
        return underway > 0 || !held.isEmpty();
    }

    private void hold(Letter letter) {
        // mutant: returned-letters-follow-newer-ones
        held.put(letter.number(), letter);
        group.routeWaits(slice);
    }

    private void dispatch(UUID to, Letter letter) {
        underway++;
        member.dispatch(to, letter, round);
    }

    @Override
    void settled(Letter letter, UUID by, Verdict verdict, boolean isSentAgain, long now) {
        underway--;
        if (isSentAgain) {
            if (verdict == Verdict.RETURNED) {
                firstReturned = Math.min(firstReturned, letter.number());
            }
            hold(letter);
            pause(now);
            stop(now);
        } else {
            if (verdict == Verdict.TAKEN && letter.mayBeRepeated(now)) {
                unanswered.put(letter, by);
            }
            start(now);
        }
    }

    @Override
    void lost(Letter letter, boolean isNotTaken) {
        underway--;
        if (isNotTaken) {
            hold(letter);
        }
    }

    /** The letter goes when the route, which is stopped now, flows again. */
    @Override
    void repeat(Letter letter) {
        unanswered.remove(letter);
        hold(letter);
    }

    @Override
    void ended(Letter letter) {
        unanswered.remove(letter);
    }

    @Override
    boolean takeBack(Letter letter) {
        return held.remove(letter.number()) != null;
    }

    /** Lets no more letters go to the target. */
    void stop(long now) {
        if (target != null) {
            target = null;
            member.surroundings.stopped(group.name, slice);
        }
        start(now);
    }

    private void pause(long now) {
        pauses = true;
        pauseEnd = now + PAUSE;
        group.routeWaits(slice);
    }

    /** Whether letters wait, or time has to pass before some are sent. */
    boolean waits() {
        return !held.isEmpty() || pauses;
    }

    /** The entry of the slice, the members, or the slices that are open here may have changed. */
    @Override
    void lookAgain(long now) {
        pauses = false;
        if (target != null && !target.equals(group.homeOf(slice))) {
            stop(now);
        } else {
            start(now);
        }
    }

    @Override
    void tick(long now) {
        if (!waits()) {
            return;
        }
        if (pauses && now - pauseEnd >= 0) {
            pauses = false;
        }
        expire(now);
        start(now);
    }

    /** Called with each letter that waits, so it looks at no other letter before the route flows. */
    private void start(long now) {
        // mutant: route-flows-while-letters-are-underway
        if (target != null || underway > 0) {
            return;
        }
        if (!member.isServing()) {
            refuseAll();
            return;
        }
        var home = pauses || held.isEmpty() ? null : group.homeOf(slice);
        // mutant: route-flows-while-a-letter-may-have-to-be-repeated
        if (home != null && unanswered.values().stream().allMatch(home::equals)) {
            expire(now);
            round++;
            firstReturned = Long.MAX_VALUE;
            target = home;
            while (!held.isEmpty()) {
                dispatch(home, held.pollFirstEntry().getValue());
            }
        }
    }

    private void expire(long now) {
        held.values().removeIf(letter -> {
            var over = letter.isOver(now);
            if (over) {
                member.told(letter, new Fate.Expired());
            }
            return over;
        });
    }

    private void refuseAll() {
        for (var letter : held.values()) {
            member.told(letter, new Fate.NotServed());
        }
        held.clear();
    }
}
