package io.fibry.fsm;

import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.Stereotypes;
import io.fibry.time.Cancellable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * What is outside of a machine and learns of its steps: the state as other threads see it, the listeners, and the callers
 * that await a state. It outlives restarts. The list of those callers is used inside the actor only.
 */
final class MachineObservers {
    private final AtomicReference<Object> state;
    private final List<Listening> listeners = new CopyOnWriteArrayList<>();
    private final List<Waiting> waiting = new ArrayList<>();

    MachineObservers(Object initial) {
        state = new AtomicReference<>(initial);
    }

    /** One registration of a listener, which may be registered several times. */
    private static final class Listening implements Cancellable {
        private final List<Listening> all;
        private final Consumer<MachineEvent<Object, Object>> listener;

        Listening(List<Listening> all, Consumer<MachineEvent<Object, Object>> listener) {
            this.all = all;
            this.listener = listener;
        }

        @Override
        public boolean cancel() {
            return all.remove(this);
        }
    }

    /** A caller that awaits a state. */
    record Waiting(Predicate<Object> wanted, CompletableFuture<Object> future) {
        /** Returns whether it has nothing to wait for any more. */
        boolean isDoneAt(Object state) {
            if (future.isDone()) {
                return true;
            }
            try {
                return wanted.test(state) && complete(state);
            } catch (Throwable failure) { // it is the caller's, who gets it
                future.completeExceptionally(failure);
                return true;
            }
        }

        private boolean complete(Object state) {
            future.complete(state);
            return true;
        }
    }

    Object state() {
        return state.get();
    }

    Cancellable listen(Consumer<MachineEvent<Object, Object>> listener) {
        var listening = new Listening(listeners, listener);
        listeners.add(listening);
        return listening;
    }

    void await(Waiting caller) {
        waiting.removeIf(each -> each.future().isDone());
        if (!caller.isDoneAt(state())) {
            waiting.add(caller);
        }
    }

    /** Shows a state that the machine has entered. */
    void show(Object entered) {
        state.setRelease(entered); // who learns of the step by its answer or by a listener sees the state
        if (!waiting.isEmpty()) {
            waiting.removeIf(each -> each.isDoneAt(entered));
        }
    }

    boolean hasListeners() {
        return !listeners.isEmpty();
    }

    void tell(ActorScope scope, MachineEvent<Object, Object> event) {
        for (var each : listeners) {
            try {
                each.listener.accept(event);
            } catch (Throwable failure) {
                report(scope, failure);
            }
        }
    }

    /** Reports a failure that is not the machine's to the listeners of the scope, as that of an actor of its own. */
    static void report(ActorScope scope, Throwable failure) {
        try {
            Stereotypes.with(scope.anonymous()).runOnce(() -> {
                if (failure instanceof Error error) {
                    throw error;
                }
                throw failure instanceof Exception exception ? exception : new IllegalStateException(failure);
            });
        } catch (IllegalStateException closed) {
            closed.addSuppressed(failure); // the scope has closed: there is no listener any more
        }
    }

    /** Returns the exception for a wait whose state will not come. */
    ActorStoppedException ended(String name) {
        return new ActorStoppedException("machine '" + name + "' has stopped in state " + state()
                + ", and the awaited state has not come");
    }

    void end(String name) {
        for (var each : waiting) {
            each.future().completeExceptionally(ended(name));
        }
        waiting.clear();
    }
}
