package io.fibry.internal.actor;

import io.fibry.ActorContext;
import io.fibry.ActorState;
import io.fibry.Counters;
import io.fibry.event.Stopped.Reason;
import io.fibry.event.Undelivered.Cause;
import io.fibry.function.Body;
import io.fibry.internal.actor.Code.HeldCode;
import io.fibry.internal.actor.Interrupts.RunningAsk;
import io.fibry.internal.actor.MessageStream.MessageSource;
import io.fibry.internal.context.SendSite;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.report.Fates;
import io.fibry.internal.run.Gate;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * All state of an actor that most actors never need. It is made when it is first needed, and stays.
 *
 * <p>The end of an actor, and who makes each transition:
 *
 * <pre>
 *   exitReason: null -> EXIT | POISON_PILL | FAILURE | FORCED | LINKED | IDLE   any thread, once; the first reason stays
 *   phase:      LIVE -> COUNTING                                the maker, before any thread sends
 *               LIVE | COUNTING -> DRAINING                     the thread that closes the scope, or the maker of
 *                                                               the actor in a scope that is being closed, by CAS
 *               any of these -> STOPPING                        the turn that has seen exitReason, or the
 *                                                               stopper that closed an idle mailbox
 *               STOPPING -> STOPPED                             the same thread, after hooks and name; if
 *                                                               children or hooks came late, a fiber
 * </pre>
 *
 * <p>A thread that sets {@code exitReason} from outside then sends a {@link StopNode}, unless it has closed an idle mailbox
 * before. In an idle mailbox that node starts a turn, or ends the wait of a receive. Otherwise the running turn reads {@code
 * exitReason} after its current node, at the latest when it takes the {@link StopNode}. So the reason is always seen.
 */
public final class ExtendedState {
    /** The place where a sender leaves the node that ends the wait. */
    public static final class Handover {
        private final Thread receiver = Thread.currentThread();
        /** Written by one sender. */
        public volatile @Nullable Node node;

        void give(Node given) {
            node = given;
            LockSupport.unpark(receiver);
        }
    }

    enum Phase {
        /** Senders need no more than a look. */
        LIVE,
        /** Messages count for a limit. */
        COUNTING,
        /** The scope is being closed: only messages from its own actors are accepted. */
        DRAINING,
        /** The mailbox is closed, or about to be. */
        STOPPING, STOPPED
    }

    static final Feature[] NONE = {};
    /** One count for each kind of fate, followed by one for each cause of a loss. */
    private static final int COUNTS = Fates.Kind.COUNT + Cause.values().length;

    private static final VarHandle PHASE =
            FieldAccess.of(MethodHandles.lookup(), "phase", Phase.class);
    private static final VarHandle EXIT_REASON =
            FieldAccess.of(MethodHandles.lookup(), "exitReason", Reason.class);
    private static final VarHandle HOOKS =
            FieldAccess.of(MethodHandles.lookup(), "hooks", List.class);
    private static final VarHandle INTERRUPTERS =
            FieldAccess.of(MethodHandles.lookup(), "interrupters", int.class);
    private static final VarHandle FATES =
            FieldAccess.of(MethodHandles.lookup(), "fates", AtomicLongArray.class);
    private static final VarHandle NOT_HANDLED =
            FieldAccess.of(MethodHandles.lookup(), "notHandled", long.class);
    private static final VarHandle SUPERVISION =
            FieldAccess.of(MethodHandles.lookup(), "supervision", Supervision.class);
    private static final VarHandle FEATURES =
            FieldAccess.of(MethodHandles.lookup(), "features", Feature[].class);
    private static final VarHandle WAITING =
            FieldAccess.of(MethodHandles.lookup(), "waiting", Waiting.class);

    /** Stands for the hooks that a thread has taken to run them. It is never changed, and no other list is the same object. */
    private static final List<Body> TAKEN = new ArrayList<>(0);

    // Written by any thread, through the methods below. The phase from STOPPING on is set by the thread that ends the actor.
    volatile Phase phase = Phase.LIVE;
    /** Set by any thread, once, by CAS from null. */
    volatile @Nullable Reason exitReason;
    /** Written by any thread, by CAS; taken by the terminator, by an exchange, so they run once. */
    private volatile List<Body> hooks = List.of();
    /** Made by the thread that needs it first, by CAS from null. */
    volatile @Nullable Supervision supervision;
    /** Whether a poison pill was sent. Set by its sender, before it is in the mailbox. */
    public volatile boolean pill;
    /** Set by stoppers. A turn that had another turn on top learns here, when that has ended, that it was to be interrupted. */
    public volatile boolean forced;
    /** How many threads are about to interrupt the turn: see {@link Interrupts}. Written by them, atomically. */
    volatile int interrupters;
    /**
     * The number of nodes that met another fate than being handled, by {@link Fates.Kind}. Made by any thread,
     * by CAS.
     */
    private volatile @Nullable AtomicLongArray fates;
    /**
     * The number of nodes with which turns were done and which they did not handle; all others they handled. It
     * is not among the fates, since every actor that is told to stop has such a node. Written by any thread,
     * atomically.
     */
    volatile long notHandled;

    /**
     * The actor's edge in the wait graph. Written by the turn: released if the edge closes no circle, otherwise
     * volatile.
     */
    public volatile @Nullable Waiting waiting;
    /** The asks for which the handler may be interrupted; immutable. Written by the turn. */
    volatile @Nullable RunningAsk running;
    /** The code that runs, if the sender of that holds the actor. Accessed by the turn only. */
    public @Nullable HeldCode held;
    /** Written by the turn; read by the sender that found the mailbox idle. */
    public volatile @Nullable Handover handover;
    /** In order; an array never changes. Written by the maker; then by any thread, by CAS; at last by the terminator. */
    private volatile Feature[] features = NONE;
    public final Gate exited = new Gate();

    // Accessed by the turn only.
    /**
     * A node that was taken from the mailbox and not handled by a turn that has left the end of the actor to
     * the next one.
     */
    @Nullable Node taken;
    /** Where the message was sent from that the turn handles, if that was remembered. */
    @Nullable SendSite sentFrom;
    /** The ask that the handler works on, if it has a time limit. */
    public @Nullable TimeLimit deadline;
    @Nullable Front front;
    /** Whether the turn has closed the mailbox already, and found nothing in it. */
    public boolean isMailboxClosed;
    public @Nullable ActorContext<?, ?> context;

    // Written before the actor is published.
    public @Nullable Executor executor;
    /** Where the actor finds further messages when it has none; null if nowhere. Set before it gets the first one. */
    public @Nullable MessageSource source;
    /** Tells before each message whether the actor may begin with it; if not, the actor ends. Null if it always may. */
    public @Nullable BooleanSupplier mayBegin;
    /** Whether a feature observes each message. Written by the maker before the actor is published: none comes later. */
    boolean observed;

    /**
     * Drops what refers to the user's objects. Called when the actor has stopped, by the thread that ended
     * it, after all else is done. Other threads read these fields once each, and handle null.
     */
    void dropReferences() {
        taken = null;
        deadline = null;
        front = null;
        context = null;
        source = null;
        mayBegin = null;
        var left = NONE;
        for (var each : features) {
            left = each.stays() ? with(left, each) : left;
        }
        features = left;
    }

    /** Adds a feature. Called by the maker, before the actor is published. */
    public void add(Feature feature) {
        features = with(features, feature);
        observed |= feature.observes();
    }

    /**
     * Adds a feature that observes no messages, unless the actor has one of its class; returns the one that it has. If
     * the actor ends meanwhile, it may forget the feature. Called by any thread.
     */
    public <T extends Feature> T addIfAbsent(Class<T> type, T fresh) {
        while (true) {
            var before = features;
            var found = find(before, type);
            if (found != null) {
                return found;
            }
            if (FEATURES.compareAndSet(this, before, with(before, fresh))) {
                return fresh;
            }
        }
    }

    private static Feature[] with(Feature[] before, Feature feature) {
        var more = Arrays.copyOf(before, before.length + 1);
        more[before.length] = feature;
        return more;
    }

    /** Returns the features, which the caller does not change. Called by any thread. */
    public Feature[] features() {
        return features;
    }

    /** Returns the feature of a class; null if the actor has none. Called by any thread. */
    public <T> @Nullable T feature(Class<T> type) {
        return find(features, type);
    }

    private static <T> @Nullable T find(Feature[] among, Class<T> type) {
        for (var each : among) {
            if (type.isInstance(each)) {
                return type.cast(each);
            }
        }
        return null;
    }

    /** Notes that the turn is about to make the actor idle. */
    public void beforeIdle() {
        for (var each : features) {
            each.idle();
            each.rest();
        }
    }

    /**
     * Notes that a reply which the actor owes is about to be complete. The quiet time of an idle actor begins with the last of
     * them. Called by any thread.
     */
    public void beforeReply() {
        for (var each : features) {
            // mutant: quiet-time-begins-before-a-late-reply
            each.idle();
        }
    }

    /** Notes that the turn has nothing to handle for now. */
    void rest() {
        for (var each : features) {
            each.rest();
        }
    }

    /** Publishes an edge that closes no cycle by itself. */
    void publishEdge(Waiting edge) {
        WAITING.setRelease(this, edge);
    }

    /** Removes the edge. It is over by now, or closes no cycle; an edge that is over is not followed. */
    public void clearEdge() {
        WAITING.setRelease(this, (Waiting) null);
    }

    /** Removes this edge of an actor whose ask is to fail. Called by another thread; returns false if the edge has changed. */
    public boolean removeEdge(Waiting edge) {
        return WAITING.compareAndSet(this, edge, (Waiting) null);
    }

    public @Nullable Supervision supervisionIfAny() {
        return supervision;
    }

    Supervision supervision(Services services) {
        var seen = supervision;
        if (seen != null) {
            return seen;
        }
        var fresh = services.newSupervision();
        var before = (Supervision) SUPERVISION.compareAndExchange(this, (Supervision) null, fresh);
        return before != null ? before : fresh;
    }

    /** Returns whether the actor owes a reply. Called by any thread. */
    public boolean owesReplies() {
        for (var each : features) {
            if (each.owes()) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether any thread has asked for the end, at once or after what is queued. */
    public boolean isToEnd() {
        return pill || isEnding() || exitReason != null;
    }

    boolean hasChildren() {
        var seen = supervision;
        return seen != null && seen.hasChildren();
    }

    /** Ends a pause before a restart, if there is one, since the actor is to end. */
    void endPause() {
        var seen = supervision;
        if (seen != null) {
            // mutant: request-to-exit-does-not-end-a-pause
            seen.endPause();
        }
    }

    /** Returns whether the actor ends before its next message. Called by its turn. */
    boolean endsNow() {
        var asked = mayBegin;
        if (asked != null && !asked.getAsBoolean()) {
            setExitReason(Reason.EXIT);
        }
        return exitReason != null;
    }

    public @Nullable Reason exitReason() {
        return exitReason;
    }

    /** Sets the reason for the end, if no reason was set before. */
    void setExitReason(Reason reason) {
        EXIT_REASON.compareAndSet(this, (Reason) null, reason);
    }

    /**
     * Returns whether an interrupt was meant for the handler on top of which the turn of another actor has
     * run.
     */
    boolean wasInterruptedMeanwhile() {
        var hold = held;
        return forced || RunningAsk.isAnyOver(running) || (hold != null && hold.isInterrupted());
    }

    void countInterrupter(int change) {
        INTERRUPTERS.getAndAdd(this, change);
    }

    /** Returns how far the end of the actor has come; null if it has not begun. */
    @Nullable ActorState end() {
        if (phase == Phase.STOPPED) {
            return ActorState.STOPPED;
        }
        return isStopping() || exitReason != null ? ActorState.STOPPING : null;
    }

    /** Returns whether senders need no check. */
    public boolean isOpen() {
        return phase == Phase.LIVE;
    }

    /** Returns whether the mailbox is closed, or about to be. */
    public boolean isStopping() {
        return phase.compareTo(Phase.STOPPING) >= 0;
    }

    /** Notes that the scope is being closed. */
    public void drain() {
        if (!PHASE.compareAndSet(this, Phase.LIVE, Phase.DRAINING)) {
            PHASE.compareAndSet(this, Phase.COUNTING, Phase.DRAINING);
        }
        endPause();
    }

    /** Returns whether the scope is being closed, or the end has begun. */
    boolean isEnding() {
        return phase.compareTo(Phase.DRAINING) >= 0;
    }

    public boolean isDraining() {
        return phase == Phase.DRAINING;
    }

    /** Notes that messages count for limits. Called before any thread sends. */
    public void startCounting() {
        phase = Phase.COUNTING;
    }

    void count(Fates.Kind fate) {
        count(fate.ordinal());
    }

    void lose(Fates.Kind fate, Cause cause) {
        count(fate);
        count(Fates.Kind.COUNT + cause.ordinal());
        for (var each : features) {
            each.lost(cause);
        }
    }

    private void count(int what) {
        var counts = fates;
        if (counts == null) {
            var fresh = new AtomicLongArray(COUNTS);
            var before = (AtomicLongArray) FATES.compareAndExchange(this, (AtomicLongArray) null, fresh);
            counts = before != null ? before : fresh;
        }
        counts.incrementAndGet(what);
    }

    /** Counts a node that the turn has not handled. A guest counts nothing: the turn that it stands for does. */
    public void finishedOtherwise(Turn turn) {
        if (!turn.isGuest()) {
            finishedOtherwise();
        }
    }

    public void finishedOtherwise() {
        NOT_HANDLED.getAndAdd(this, 1L);
    }

    /** Returns how many messages were taken from the mailbox and put aside. Called by any thread. */
    public int putAside() {
        var count = 0;
        for (var each : features) {
            count += each.kept();
        }
        return count;
    }

    /** Notes that nodes which counted as finished go back in front of the mailbox. */
    public void takenUp(int nodes) {
        NOT_HANDLED.getAndAdd(this, (long) -nodes);
    }

    /** Returns what became of the messages, of which the actor has handled so many. */
    Counters counters(long handled) {
        return new Counters(handled, counted(Fates.Kind.FAILED), counted(Fates.Kind.EXPIRED),
                counted(Fates.Kind.DROPPED), counted(Fates.Kind.REFUSED), counted(Fates.Kind.UNDELIVERED));
    }

    private long counted(Fates.Kind fate) {
        return counted(fate.ordinal());
    }

    Map<Cause, Long> lost() {
        if (fates == null) {
            return Map.of();
        }
        var counts = new long[Fates.CAUSES.length];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = counted(Fates.Kind.COUNT + i);
        }
        return Fates.byCause(counts);
    }

    private long counted(int what) {
        var counts = fates;
        return counts == null ? 0 : counts.get(what);
    }

    /** Adds a hook; returns false if the hooks have been taken already. */
    public boolean addHook(Body hook) {
        while (true) {
            var seen = hooks;
            if (seen == TAKEN) {
                return false;
            }
            var longer = new ArrayList<>(seen);
            longer.add(hook);
            if (HOOKS.compareAndSet(this, seen, List.copyOf(longer))) {
                return true;
            }
        }
    }

    public int hookCount() {
        return hooks.size();
    }

    boolean hasHooks() {
        return !hooks.isEmpty();
    }

    /** Returns the hooks, which the caller runs; a later call finds none. */
    @SuppressWarnings("unchecked") // the field's own type
    List<Body> takeHooks() {
        // mutant: late-resource-is-not-closed
        return (List<Body>) HOOKS.getAndSet(this, TAKEN);
    }
}
