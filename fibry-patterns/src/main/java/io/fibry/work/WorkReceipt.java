package io.fibry.work;

import io.fibry.ActorInterruptedException;
import io.fibry.ActorStoppedException;
import io.fibry.function.ReplyHandler;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A receipt, and the progress of its work. At the end of the work first the state changes, then the book moves the receipt,
 * then the result completes, and then the listener is told.
 */
final class WorkReceipt<T extends @Nullable Object> implements Receipt<T>, Progress {
    private final Environment environment;
    private final String id;
    private final int mostNotes;
    private final Consumer<WorkReceipt<?>> atEnd;
    /** Guards the state, the code that runs and the futures that were given out: the first end wins. */
    private final ReentrantLock lock = new ReentrantLock();
    private final CompletableFuture<T> result = new CompletableFuture<>();
    /** The futures that were given to callers and are not complete. */
    private final Map<Object, CompletableFuture<T>> given = new LinkedHashMap<>();
    private ReceiptState state;
    private @Nullable Future<?> running;

    WorkReceipt(Environment environment, String id, int mostNotes, Consumer<WorkReceipt<?>> atEnd) {
        this.environment = environment;
        this.id = id;
        this.atEnd = atEnd;
        this.mostNotes = mostNotes;
        state = new ReceiptState(id, ReceiptState.Status.RUNNING, 0, "", List.of());
    }

    /** What work has returned. */
    record Returned<T extends @Nullable Object>(T value) {
    }

    /** Runs the work, unless it was ended before. */
    Optional<Returned<T>> run(ReplyHandler<Progress, T> code) throws Exception {
        assert SwitchPoints.here();
        // mutant: work-begins-after-it-was-cancelled
        if (state().isOver()) {
            return Optional.empty();
        }
        return Optional.of(new Returned<>(code.handle(this)));
    }

    /** Follows the code that runs the work; if the work was ended before, the code is interrupted. */
    void follow(CompletableFuture<Optional<Returned<T>>> code) {
        boolean isOver;
        assert SwitchPoints.here();
        lock.lock();
        try {
            // mutant: work-that-begins-late-is-not-interrupted
            isOver = state.isOver();
            running = code;
        } finally {
            lock.unlock();
        }
        if (isOver) {
            code.cancel(true);
        }
        var unused = code.whenComplete((value, failure) -> {
            if (failure == null) {
                value.ifPresent(returned -> end(ReceiptState.Status.DONE, 100,
                        () -> complete(returned.value())));
            } else {
                fail(named(PendingCall.causeOf(failure)));
            }
        });
    }

    /** The exception of an interrupt tells neither what was interrupted nor why. */
    private Throwable named(Throwable cause) {
        if (!(cause instanceof InterruptedException || cause instanceof ActorInterruptedException)) {
            return cause;
        }
        var now = state();
        var scope = environment.scope();
        var what = "the work of receipt '" + id + "' was interrupted at " + now.percent() + " percent"
                + (now.phase().isEmpty() ? "" : ", phase '" + now.phase() + "'");
        if (!scope.isClosing()) {
            var interrupted = new InterruptedException(what + "; the scope '" + scope.name()
                    + "' is open, so other code has interrupted its thread");
            interrupted.initCause(cause);
            return interrupted;
        }
        var stopped = new ActorStoppedException(what + ", since the scope '" + scope.name()
                + "' was stopped before its end; give the stop, or the close time-out of the scope, the time that the work needs");
        stopped.initCause(cause);
        return stopped;
    }

    void fail(Throwable cause) {
        var status = cause instanceof CancellationException ? ReceiptState.Status.CANCELLED
                : ReceiptState.Status.FAILED;
        end(status, -1, () -> completeExceptionally(cause));
    }

    @Override
    public boolean cancel() {
        return end(ReceiptState.Status.CANCELLED, -1, () -> {
            // mutant: cancelled-work-is-not-interrupted
            interrupt();
            completeExceptionally(
                    new CancellationException("the work of receipt '" + id + "' was cancelled"));
        });
    }

    private void interrupt() {
        Future<?> code;
        lock.lock();
        try {
            code = running;
        } finally {
            lock.unlock();
        }
        if (code != null) {
            code.cancel(true);
        }
    }

    /** Ends the work, unless it has ended before, and returns whether this is the end. */
    private boolean end(ReceiptState.Status status, int percent, Runnable complete) {
        var next = change(new ReceiptState(id, status, percent, "", List.of()));
        if (next == null) {
            return false;
        }
        assert SwitchPoints.here();
        try {
            atEnd.accept(this); // before any caller can learn of it
        } finally {
            complete.run();
        }
        tell(next);
        return true;
    }

    /**
     * Takes over what is told: of an end its status; otherwise the percent, the phase and the notes that are there. Returns
     * the new state; null if the work has ended before.
     */
    private @Nullable ReceiptState change(ReceiptState told) {
        lock.lock();
        try {
            // mutant: work-ends-twice
            if (state.isOver()) {
                return null;
            }
            var notes = new ArrayList<>(state.notes());
            notes.addAll(told.notes());
            while (notes.size() > mostNotes) {
                notes.removeFirst();
            }
            state = new ReceiptState(id, told.status(),
                    told.percent() < 0 ? state.percent() : told.percent(),
                    told.phase().isEmpty() ? state.phase() : told.phase(), notes);
            return state;
        } finally {
            lock.unlock();
        }
    }

    private void tell(ReceiptState now) {
        environment.tell(new WorkEvent.ReceiptChanged(environment.name(), now));
    }

    private void complete(T value) {
        result.complete(value);
        assert SwitchPoints.here();
        takeGiven().forEach(each -> each.complete(value));
    }

    private void completeExceptionally(Throwable cause) {
        result.completeExceptionally(cause);
        var failure = new CompletionException(cause); // as a copy of the result has it
        takeGiven().forEach(each -> each.completeExceptionally(failure));
    }

    private List<CompletableFuture<T>> takeGiven() {
        lock.lock();
        try {
            var all = List.copyOf(given.values());
            given.clear();
            return all;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public CompletableFuture<T> result() {
        var mine = new CompletableFuture<T>();
        var key = new Object();
        lock.lock();
        try {
            // mutant: late-asker-gets-no-result
            if (result.isDone()) {
                return result.copy();
            }
            given.put(key, mine);
        } finally {
            lock.unlock();
        }
        var unused = mine.whenComplete((value, failure) -> forget(key));
        return mine;
    }

    private void forget(Object key) {
        lock.lock();
        try {
            given.remove(key);
        } finally {
            lock.unlock();
        }
    }

    private void add(int percent, String phase, List<String> notes) {
        var next = change(new ReceiptState(id, ReceiptState.Status.RUNNING, percent, phase, notes));
        if (next != null) {
            tell(next);
        }
    }

    @Override
    public void percent(int percent) {
        if (percent < 0 || percent > 100) {
            throw new IllegalArgumentException("percent must be from 0 to 100: " + percent);
        }
        add(percent, "", List.of());
    }

    @Override
    public void phase(String phase) {
        add(-1, Objects.requireNonNull(phase, "phase"), List.of());
    }

    @Override
    public void note(String text) {
        add(-1, "", List.of(Objects.requireNonNull(text, "text")));
    }

    @Override
    public boolean isCancelled() {
        return state().status() == ReceiptState.Status.CANCELLED;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public ReceiptState state() {
        lock.lock();
        try {
            return state;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        return "Receipt[" + state() + "]";
    }
}
