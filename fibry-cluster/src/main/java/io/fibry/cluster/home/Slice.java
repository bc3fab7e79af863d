package io.fibry.cluster.home;

import io.fibry.cluster.engine.ClusterEngine.Change;
import io.fibry.cluster.engine.ClusterEngine.Outcome;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A slice of a group, as a node sees it that may be its home.
 *
 * <pre>
 *   AWAY ------> CLAIMING      this node is to be the home, and the entry says that no other node is at work: absent, closed, or
 *                              of a home that is not in the view, or of this node from before
 *   CLAIMING --> OPEN          the change is done, in the period of service in which it was proposed
 *   CLAIMING --> AWAY          after any other outcome; the entry is read again
 *   OPEN ------> CLOSING       another node is to be the home, or this node does not see the majority, or the entry names another home
 *   CLOSING ---> AWAY          all actors of the slice have ended
 *   AWAY ------> RELEASING     the entry says that this node is the home, and it should not be
 *   RELEASING -> AWAY          after any outcome of the change
 * </pre>
 *
 * <p>Actors exist in OPEN and CLOSING alone, messages are taken in OPEN alone.
 */
final class Slice {
    private static final long PAUSE = 20_000_000L;

    private final ClusterMember member;
    private final SharedGroup group;
    private final int number;
    private final String key;
    /** The bytes of the entry that was decoded last, and what they say. */
    private byte @Nullable [] bytes;
    private @Nullable GroupEntry entry;
    private State state = State.AWAY;
    private long term;
    /** In CLOSING: whether the actors handle what they have before they end. */
    private boolean isGentle;
    /** In CLOSING: when it began, or when its handlers were last told to hurry. */
    private long hurried;
    /** In CLAIMING and RELEASING: the period of service in which the change was proposed. */
    private long proposedIn;
    private long pauseEnd;
    private boolean pauses;

    enum State {
        AWAY, CLAIMING, OPEN, CLOSING, RELEASING
    }

    Slice(ClusterMember member, SharedGroup group, int number) {
        this.member = member;
        this.group = group;
        this.number = number;
        key = GroupTables.key(group.name, number);
    }

    /** Returns its entry, or null. Entries are asked for often and change seldom. */
    @Nullable GroupEntry entry() {
        var now = member.surroundings.entry(GroupTables.HOMES, key);
        if (now != bytes) {
            entry = GroupEntry.decode(now);
            bytes = now;
        }
        return entry;
    }

    boolean isOpen() {
        return state == State.OPEN;
    }

    /** Whether it has no actors. */
    boolean hasEnded() {
        return state != State.OPEN && state != State.CLOSING;
    }

    private void enter(State next) {
        group.countMoving((isMoving(next) ? 1 : 0) - (isMoving(state) ? 1 : 0));
        state = next;
    }

    private static boolean isMoving(State state) {
        return state == State.CLOSING || state == State.RELEASING;
    }

    boolean isAway() {
        return state == State.AWAY;
    }

    /** The entry may have changed: what is to be done is done at once. */
    void lookAgain(long now) {
        pauses = false;
        evaluate(now);
    }

    /** Lets time pass. Called while it waits for that, or for other slices to have moved. */
    void tick(long now) {
        if (state != State.OPEN || group.mayMove()) {
            evaluate(now);
        }
    }

    /** Whether it waits for time to pass, or for other slices to have moved. All else that it waits for it is told. */
    private boolean waits() {
        return switch (state) {
            case OPEN -> group.shouldLeave(number);
            case CLOSING -> isGentle;
            case AWAY -> pauses;
            case CLAIMING, RELEASING -> false;
        };
    }

    /** Takes the next step, if there is one. */
    void evaluate(long now) {
        if (state == State.OPEN) {
            evaluateOpen();
        } else if (state == State.CLOSING && isGentle && isOvertaken()) {
            // mutant: gentle-end-goes-on-without-the-majority
            drain(false);
        } else if (state == State.CLOSING && isGentle && now - hurried >= member.moveLimit / 2) {
            hurried = now;
            member.surroundings.hurry(group.name, number);
        } else if (state == State.AWAY && member.isServing() && !(pauses && now - pauseEnd < 0)) {
            pauses = false;
            evaluateAway();
        }
        group.sliceWaits(number, waits());
    }

    private void evaluateOpen() {
        if (isOvertaken()) {
            close(false);
        } else if (group.shouldLeave(number) && group.mayMove()) {
            close(true);
        }
    }

    /** Whether another node may be the home already. */
    private boolean isOvertaken() {
        var home = entry();
        return !member.isServing() || (home != null && home.term() > term);
    }

    private void drain(boolean gently) {
        isGentle = gently;
        member.surroundings.drain(group.name, number, gently);
    }

    private void close(boolean gently) {
        enter(State.CLOSING);
        hurried = member.now();
        drain(gently);
        group.routeOf(number).lookAgain(member.now());
    }

    private void evaluateAway() {
        var last = entry();
        var mine = last != null && last.node().equals(member.self);
        if (last == null || !mine || !last.open()) {
            group.removeDestination(number); // mutant: slice-that-was-given-does-not-come-back
        }
        if (group.shouldBeHome(number)) {
            // mutant: slice-is-claimed-while-its-home-is-at-work
            // mutant: refusal-of-a-claim-that-was-made-is-believed
            if (last == null || mine || !last.open() || member.isLost(last)) {
                term = last == null ? 1 : last.term() + 1;
                propose(State.CLAIMING, true);
            }
        } else if (last != null && mine && last.open()) {
            term = last.term();
            propose(State.RELEASING, false);
        }
    }

    /**
     * Whether a change that was proposed, and has not begun, should still be made: the period of service and the
     * entry are the same, and this node is still to be the home, or still not.
     */
    boolean wants(Change change) {
        return member.isServing() && proposedIn == member.service()
                && (state == State.CLAIMING) == group.shouldBeHome(number)
                && Arrays.equals(member.surroundings.entry(GroupTables.HOMES, key), change.expected());
    }

    private void propose(State next, boolean open) {
        enter(next);
        proposedIn = member.service();
        member.propose(GroupTables.HOMES, key, group.entry(number, open, term).encode());
    }

    /** Tells the outcome of the change that was proposed. A refusal is not believed: the entry is read again. */
    void changed(Change change, Outcome outcome, long now) {
        var claimed = state == State.CLAIMING;
        enter(State.AWAY);
        group.noteMove(now);
        pauses = outcome != Outcome.DONE;
        pauseEnd = now + PAUSE;
        // mutant: slice-opens-though-its-change-is-not-known-to-be-done
        // mutant: slice-opens-though-its-change-was-refused
        if (claimed && outcome == Outcome.DONE && proposedIn == member.service()
                && member.isServing()) {
            enter(State.OPEN);
            member.surroundings.opened(group.name, number, term, Objects.requireNonNull(change.next()));
            group.routeOf(number).lookAgain(now);
        }
        evaluate(now);
    }

    /** All actors of the slice have ended. */
    void drained(long now) {
        if (state == State.CLOSING) {
            enter(State.AWAY);
            lookAgain(now);
        }
    }

    @Override
    public String toString() {
        return key + " " + state + " in term " + term + ", entry " + entry();
    }
}
