package io.fibry.internal.actor;

import io.fibry.function.ReplyHandler;
import io.fibry.internal.context.Carried;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Backoff;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The user's code that runs while actors are held, the states that it gets, and its thread. While it runs, it is listed
 * as the hold of the actor in which it runs.
 *
 * <pre>
 *   runner: null -> Thread            the thread that runs the code
 *           Thread -> INTERRUPTING    a thread that forces the stop of an actor that is held, by CAS
 *           INTERRUPTING -> null      the same thread, after the interrupt
 *           Thread -> null            the thread that has run the code, by CAS
 * </pre>
 *
 * <p>If that last CAS fails, the thread waits for null. So no interrupt that is meant for the code comes after its end.
 */
final class HeldCode<T extends @Nullable Object> implements Callable<T>, Hold {
    private static final VarHandle RUNNER = FieldAccess.of(MethodHandles.lookup(), "runner", Object.class);
    private static final Object INTERRUPTING = "interrupting";

    private final ReplyHandler<List<Object>, T> code;
    private final List<Handle<?, ?>> named;
    /** The states of the actors; null if the code does not use them. Each is added by the turn of its actor. */
    private final @Nullable Map<Cell, Object> states;
    private final List<HeldActor> held;
    private final Handle<?, ?> last;
    private final @Nullable Carried carried;
    private volatile @Nullable Object runner;
    /** Whether a forced stop of an actor that is held has interrupted the code. */
    private volatile boolean interrupted;

    HeldCode(ReplyHandler<List<Object>, T> code, List<Handle<?, ?>> named, boolean usesStates,
            List<HeldActor> held,
            Handle<?, ?> last) {
        this.code = code;
        this.named = named;
        this.held = held;
        this.last = last;
        states = usesStates ? new IdentityHashMap<>() : null;
        carried = last.spec.capture();
    }

    boolean usesStates() {
        return states != null;
    }

    /** Adds the state of an actor. Called by its turn; the actors are taken one after the other. */
    void add(Cell cell, Object state) {
        if (states != null) {
            states.put(cell, state);
        }
    }

    private List<Object> states() {
        var mine = new ArrayList<>();
        if (states != null) {
            for (var cell : named) {
                mine.add(Objects.requireNonNull(states.get(cell)));
            }
        }
        return Collections.unmodifiableList(mine);
    }

    /** Runs the code. Called by the turn of the last actor; all others are held. */
    @Override
    public T call() throws Exception {
        var run = new Run<>(code, states());
        runner = Thread.currentThread();
        last.supervision().hold(this);
        assert Interleave.here();
        try {
            interruptIfForced();
            Carried.around(carried, run);
        } finally {
            awaitInterrupter();
            last.supervision().endHold(this);
        }
        return run.result();
    }

    private static final class Run<T extends @Nullable Object> implements Runnable {
        private final ReplyHandler<List<Object>, T> code;
        private final List<Object> states;
        private @Nullable T value;
        private @Nullable Throwable thrown;

        Run(ReplyHandler<List<Object>, T> code, List<Object> states) {
            this.code = code;
            this.states = states;
        }

        @Override
        public void run() {
            try {
                value = code.handle(states);
            } catch (Throwable failure) {
                thrown = failure;
            }
        }

        @SuppressWarnings("NullAway") // the value is null only if T may be
        T result() {
            if (thrown != null) {
                HeldCode.<RuntimeException>raise(thrown);
            }
            return value;
        }
    }

    /** Throws what other code has thrown, which need not be an exception that the compiler knows of. */
    @SuppressWarnings({"unchecked", "DoNotCallSuggester"})
    static <E extends Throwable> void raise(Throwable thrown) throws E {
        throw (E) thrown;
    }

    private void interruptIfForced() {
        for (var each : held) {
            if (each.cell.extendedState().forced) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Interrupts the thread that runs the code, if it still does. While another actor runs on top of the code, that
     * actor is not interrupted; the code is interrupted when it continues, see {@link
     * ExtendedState#wasInterruptedMeanwhile}.
     */
    void interrupt() {
        var thread = runner;
        if (thread instanceof Thread && RUNNER.compareAndSet(this, thread, INTERRUPTING)) {
            assert Interleave.here();
            interrupted = true;
            Interrupts.turn(last);
            runner = null;
        }
    }

    /** Returns when no thread is about to interrupt this one, which has run the code. */
    private void awaitInterrupter() {
        if (!RUNNER.compareAndSet(this, Thread.currentThread(), (Object) null)) {
            var backoff = new Backoff();
            while (runner != null) {
                backoff.pause();
            }
        }
    }

    /** Does nothing: the actor exits when the code has ended, and a forced stop of it interrupts its turn anyway. */
    @Override
    public void onExitRequest() {
    }

    @Override
    public boolean isWaiting() {
        return false;
    }

    @Override
    public boolean isInterrupted() {
        return interrupted;
    }

    @Override
    public boolean holds(Predicate<Cell> which) {
        for (var each : held) {
            if (which.test(each.cell)) {
                return true;
            }
        }
        return false;
    }
}
