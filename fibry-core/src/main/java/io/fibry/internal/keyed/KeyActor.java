package io.fibry.internal.keyed;

import io.fibry.event.Stopped.Reason;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.StopNode;
import io.fibry.internal.cycles.EndEdge;
import io.fibry.internal.cycles.WaitGraph;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Backoff;
import io.fibry.internal.scope.Scope;
import io.fibry.internal.signal.OpeningNode;
import io.fibry.internal.timer.IdleStop;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The actor that a key has, or the last one that it had.
 *
 * <pre>
 *   senders:  n -> n + 1 -> n      senders, while they send
 *             0 -> RETIRING        a thread that finds the actor idle: no sender begins to send from here on
 *             RETIRING -> 0        the same thread, if the actor was not idle after all
 *             RETIRING -> RETIRED  the same thread, if it was idle: its mailbox has no node and gets none but the stop
 *
 *   behind:   any -> one more      the maker of an actor that waits for the end of this one: the next one of the key, or one
 *                                  that has got the place of this one
 *             any -> ENDED         this actor, at its end; it then releases those that wait
 *
 *   counts:   true -> false        the maker of another actor, which gets the place and waits for the end of this one; or else
 *                                  this actor, at its end, which gives the place back
 * </pre>
 *
 * <p>An actor has its place until its exit hooks have run and its state is closed. So no more states are open than there are
 * places, and neither a sender nor an actor that ends waits for another end. RETIRING lasts a few steps, so a sender spins.
 */
final class KeyActor extends IdleStop implements BooleanSupplier {
    private static final int RETIRING = -1;
    private static final int RETIRED = -2;
    private static final VarHandle SENDERS = FieldAccess.of(MethodHandles.lookup(), "senders", int.class);
    private static final VarHandle BEHIND = FieldAccess.of(MethodHandles.lookup(), "behind", Behind.class);
    private static final VarHandle START = FieldAccess.of(MethodHandles.lookup(), "start", Node.class);
    private static final VarHandle AWAITED = FieldAccess.of(MethodHandles.lookup(), "awaited", int.class);
    private static final VarHandle COUNTS = FieldAccess.of(MethodHandles.lookup(), "counts", boolean.class);

    final Object key;
    private final Keyed<?, ?, ?, ?> owner;
    /** Written by senders, and by the thread that ends the actor, as the table says. */
    private volatile int senders;
    /** Written by makers of other actors, and by this actor at its end, as the table says. */
    private volatile @Nullable Behind behind;
    /** What the actor begins with when it has waited. Set by the maker, and taken by the thread that lets the actor begin. */
    private volatile @Nullable Node start;
    /** For how many ends the actor still waits before it begins. Set by the maker, and counted down by the actors that end. */
    private volatile int awaited;
    /** The last actor of the key, for whose end this one waits. Written by the maker, and by the thread that lets it begin. */
    private volatile @Nullable KeyActor before;
    /** The actor that had the place, if another. Written by the same threads. A terminator reads both before it counts down. */
    private volatile @Nullable KeyActor other;
    /** Set by the maker, which reads it. */
    private boolean isListed;
    /** Whether the actor has one of the limited number of places. Set once, by CAS, to false, as the table says. */
    private volatile boolean counts = true;

    /** An actor that waits for the end of another one, and the others that do. */
    private static final class Behind {
        static final Behind ENDED = new Behind(null, null);

        private final @Nullable KeyActor actor;
        private final @Nullable Behind others;

        Behind(@Nullable KeyActor actor, @Nullable Behind others) {
            this.actor = actor;
            this.others = others;
        }
    }

    /** Makes the record of an actor, which begins when {@link #release} was called {@code awaited} times. */
    KeyActor(Keyed<?, ?, ?, ?> owner, Object key, Cell cell, long quietNanos, int awaited) {
        super(cell, quietNanos);
        this.owner = owner;
        this.key = key;
        this.awaited = awaited;
        start = awaited > 0 ? new OpeningNode() : null;
    }

    /** Returns whether the actor may begin with a message: the gate of its group decides, which may be set later. */
    @Override
    public boolean getAsBoolean() {
        var gate = owner.gate;
        return gate == null || gate.getAsBoolean();
    }

    /** Lets a scope admit the actor. If the actor waits, its mailbox stays busy and no thread runs it. */
    void admitTo(Scope scope) {
        var opening = start;
        if (opening == null) {
            scope.admit(cell, null);
        } else {
            scope.admitWaiting(cell, opening);
        }
    }

    // ---- Sending. ----

    /** Counts a sender that begins to send; returns false if this actor takes no more messages. */
    boolean enter() {
        var backoff = new Backoff();
        while (true) {
            var count = senders;
            if (count == RETIRED) {
                return false;
            }
            if (count == RETIRING) {
                backoff.pause();
            } else if (SENDERS.compareAndSet(this, count, count + 1)) {
                assert Interleave.here();
                if (!cell.exitRequested() && !cell.isStopping()) {
                    return true;
                }
                leave(); // the actor ends, since its handler has failed for example
                return false;
            }
        }
    }

    void leave() {
        SENDERS.getAndAdd(this, -1);
    }

    // ---- Its end. ----

    /** Lists the actor before others are told of it: a listener may send to its key. The idle time begins when it is made. */
    @Override
    public void making() {
        isListed = owner.list(this, before);
    }

    /** Returns whether it is the actor that its key has got. Called by its maker. */
    boolean isListed() {
        return isListed;
    }

    @Override
    public void stop(long finished) {
        retireIfIdle(finished);
    }

    /** Ends the actor if it is idle; returns whether it does. */
    boolean retireIfIdle() {
        return retireIfIdle(cell.finishedSoFar());
    }

    private boolean retireIfIdle(long finished) {
        // mutant: actor-of-a-key-retires-while-a-sender-has-it
        if (!SENDERS.compareAndSet(this, 0, RETIRING)) {
            return false;
        }
        assert Interleave.here();
        var idle = cell.isIdle() && cell.finishedSoFar() == finished && !cell.isStopping()
                && !cell.extendedState().owesReplies();
        senders = idle ? RETIRED : 0;
        if (idle) {
            cell.sendControlAway(new StopNode(Reason.IDLE));
        }
        return idle;
    }

    /** Returns whether the actor has handled its last message. Its exit hooks may still run. */
    boolean isEnding() {
        return senders == RETIRED || cell.isStopping();
    }

    /**
     * Gives the place of an actor that takes no message any more to another one, once; returns false if it has none any
     * more. The other one waits for the end of this one.
     */
    boolean passPlace() {
        return COUNTS.compareAndSet(this, true, false);
    }

    private void givePlaceBack() {
        if (passPlace()) {
            owner.places.giveBack();
        }
    }

    /** Lets another actor wait for the end of this one. */
    void chain(KeyActor other) {
        while (true) {
            var before = behind;
            assert Interleave.here();
            if (before == Behind.ENDED) {
                // mutant: late-next-actor-of-a-key-is-not-started
                other.release(this);
                return;
            }
            if (BEHIND.compareAndSet(this, before, new Behind(other, before))) {
                return;
            }
        }
    }

    @Override
    public void stopped() {
        // mutant: place-of-a-key-is-never-free
        givePlaceBack();
        var all = (Behind) BEHIND.getAndSet(this, Behind.ENDED);
        release(all);
        owner.remove(this); // last: it calls methods of the user's key
    }

    private void release(@Nullable Behind all) {
        if (all != null && all.actor != null) {
            try {
                // mutant: next-actor-of-a-key-is-not-started
                all.actor.release(this);
            } finally {
                release(all.others);
            }
        }
    }

    /** Notes for which ends the actor waits, so that a wait for it is seen in a cycle. Called before others know the actor. */
    void waitsFor(@Nullable KeyActor last, @Nullable KeyActor placeOf) {
        before = last;
        other = placeOf;
        var one = last == null ? placeOf : last;
        if (one != null) {
            cell.extendedState().waiting = new EndEdge(one.cell);
        }
    }

    /** Notes the end of an actor for which this one waits. The last such call lets it begin. */
    void release(KeyActor ended) {
        var left = ended == before ? other : before;
        try {
            if (left != null && awaited > 1) { // as long as this call is not counted the actor does not begin
                WaitGraph.enterToStop(cell, new EndEdge(left.cell));
            }
        } finally {
            if ((int) AWAITED.getAndAdd(this, -1) == 1) {
                open((Node) START.getAndSet(this, null));
            }
        }
    }

    private void open(@Nullable Node opening) {
        before = null;
        other = null;
        if (opening == null) {
            givePlaceBack(); // the actor could not be made
        } else {
            cell.extendedState().waiting = null;
            cell.startAway(opening);
        }
    }

    /** Ends what the maker has begun: a scope has not admitted the actor. {@code left} had its place. */
    void giveUp(@Nullable KeyActor left) {
        start = null;
        if (left == null) {
            givePlaceBack();
        } else {
            awaited = 1;
            left.chain(this);
        }
    }
}
