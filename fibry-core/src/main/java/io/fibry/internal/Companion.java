package io.fibry.internal;

import io.fibry.Body;
import io.fibry.event.Stopped.Reason;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Everything about an actor that most actors never need. It is made when first needed and stays.
 *
 * <p>An actor's end, and who brings it about:
 *
 * <pre>
 *   exitReason: null -> EXIT | POISON_PILL | FAILURE | FORCED   anyone, once; the first reason stays
 *   phase:      LIVE -> STOPPING                                the turn that has seen exitReason, or the
 *                                                               stopper that closed an idle mailbox
 *               STOPPING -> STOPPED                             the same thread, after hooks and name
 * </pre>
 *
 * <p>Whoever sets {@code exitReason} from outside then sends a {@link StopNode}; if the mailbox is idle by
 * then that node starts a turn, and if it is not, the running turn looks at {@code exitReason} after its
 * current node, at the latest when it takes the {@link StopNode}. So the reason is always seen.
 */
final class Companion {
    enum Phase {
        LIVE, STOPPING, STOPPED
    }

    private static final VarHandle EXIT_REASON;
    private static final VarHandle HOOKS;
    private static final VarHandle INTERRUPTERS;
    private static final VarHandle FATES;
    private static final VarHandle WAITING;

    static {
        try {
            var lookup = MethodHandles.lookup();
            EXIT_REASON = lookup.findVarHandle(Companion.class, "exitReason", Reason.class);
            INTERRUPTERS = lookup.findVarHandle(Companion.class, "interrupters", int.class);
            FATES = lookup.findVarHandle(Companion.class, "fates", AtomicLongArray.class);
            WAITING = lookup.findVarHandle(Companion.class, "waiting", Waiting.class);
            HOOKS = lookup.findVarHandle(Companion.class, "hooks", Hooks.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** A list of what runs at the end; {@code ran} once somebody has taken it to run it. */
    private record Hooks(List<Body> list, boolean ran) {
        static final Hooks NONE = new Hooks(List.of(), false);
    }

    // Written by anyone, through the methods below.
    private volatile @Nullable Reason exitReason;
    private volatile Hooks hooks = Hooks.NONE;
    volatile boolean forced;
    /** How many threads are about to interrupt the turn; see {@link Interrupts}. */
    private volatile int interrupters;
    /** Nodes that met another fate than being handled, by {@link Fates.Kind}. */
    private volatile @Nullable AtomicLongArray fates;

    // Written by the turn, read by anyone.
    volatile Phase phase = Phase.LIVE;
    volatile @Nullable Waiting waiting;
    volatile @Nullable Answer<?> running;
    volatile Inbox.@Nullable Handover handover;
    final Gate exited = new Gate();

    // Touched by the turn only.
    @Nullable ActorTimers timers;
    @Nullable Inbox inbox;
    @Nullable Context<Object, @Nullable Object> context;

    // Written before the actor is published.
    @Nullable Executor executor;
    @Nullable Member member;

    /** Takes the edge back. It is over by now, and nobody follows an edge that is over. */
    void waitsNoMore() {
        WAITING.setRelease(this, (Waiting) null);
    }

    @Nullable Reason exitReason() {
        return exitReason;
    }

    /** Asks for the end. */
    void exit(Reason reason) {
        EXIT_REASON.compareAndSet(this, (Reason) null, reason);
    }

    /** Whether an interrupt was meant for the handler that another actor's turn has run on top of. */
    boolean wasInterruptedMeanwhile() {
        var ask = running;
        return forced || (ask != null && ask.isOver());
    }

    void countInterrupter(int change) {
        INTERRUPTERS.getAndAdd(this, change);
    }

    boolean isBeingInterrupted() {
        return interrupters != 0;
    }

    void count(Fates.Kind fate) {
        var counts = fates;
        if (counts == null) {
            var fresh = new AtomicLongArray(Fates.Kind.COUNT);
            var before = (AtomicLongArray) FATES.compareAndExchange(this, (AtomicLongArray) null, fresh);
            counts = before != null ? before : fresh;
        }
        counts.incrementAndGet(fate.ordinal());
    }

    long counted(Fates.Kind fate) {
        var counts = fates;
        return counts == null ? 0 : counts.get(fate.ordinal());
    }

    /** Adds a hook; false if they have run already. */
    boolean addHook(Body hook) {
        while (true) {
            var seen = hooks;
            if (seen.ran) {
                return false;
            }
            var longer = new ArrayList<>(seen.list);
            longer.add(hook);
            if (HOOKS.compareAndSet(this, seen, new Hooks(longer, false))) {
                return true;
            }
        }
    }

    boolean hasHooks() {
        return !hooks.list.isEmpty();
    }

    /** The hooks, for the one caller that runs them. */
    List<Body> takeHooks() {
        var taken = (Hooks) HOOKS.getAndSet(this, new Hooks(List.of(), true));
        return taken.list;
    }
}
