package io.fibry.work;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorState;
import io.fibry.HandlerAbandonedException;
import io.fibry.MailboxFullException;
import io.fibry.Stereotypes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An actor as an {@link ExecutorService}, for code that needs one. A task runs inside the actor, in turn with its messages
 * and with the tasks of other services; {@link #sideBySide} makes a service that runs each task in an actor of its own.
 *
 * <ul>
 * <li>What a submitted task throws is in its future and nowhere else. What an {@linkplain #execute executed} task throws is
 *     a failure of the actor.
 * <li>If the actor does not accept a task, or the service was shut down, the method that gives the task throws a
 *     {@link RejectedExecutionException}. If the actor stops before a task begins, its future fails.
 * <li>After {@link #shutdown} the tasks that were accepted run, and the actor goes on. {@link #shutdownNow} returns the
 *     tasks that have not begun.
 * <li>{@code cancel(true)} and {@code shutdownNow} interrupt a task that runs if the actor was made with {@link
 *     ActorBuilder#interruptOnCancel()}.
 * <li>A wait for a future inside the actor is refused as a cycle. In a task of the service, {@link #awaitTermination} throws an
 *     {@link IllegalStateException}, and {@link #close} does not wait.
 * </ul>
 *
 * <p>Each task is code that is given to the actor. The service lists the tasks that are not over, and has terminated when
 * it has been shut down, or its actor has stopped, and the list is empty. Objects of this class are thread-safe; the lock
 * guards the list and the states of the tasks, and no code of the user runs under it. The class is long because the JDK's
 * interface is wide; each of its methods is short.
 */
public final class ActorExecutorService extends AbstractExecutorService {
    private final Actor<?, ?> actor;
    /** Whether the actor was made for this service alone, runs tasks side by side, and ends with the service. */
    private final boolean owns;
    private final CompletableFuture<@Nullable Void> terminated = new CompletableFuture<>();
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final Set<Entry> entries = new LinkedHashSet<>();
    /** The tasks that run, by their threads. */
    private final Map<Thread, Entry> running = new HashMap<>();
    private boolean shutdown;
    /** Whether what was given is to end at once. */
    private boolean isNow;

    private ActorExecutorService(Actor<?, ?> actor, boolean owns) {
        this.actor = actor;
        this.owns = owns;
    }

    /**
     * Returns a service whose tasks run inside an actor. The actor goes on when the service is shut down.
     *
     * @param actor the actor
     * @return the service
     */
    public static ActorExecutorService of(Actor<?, ?> actor) {
        return new ActorExecutorService(Objects.requireNonNull(actor, "actor"), false);
    }

    /**
     * Makes a service that runs each task in a new actor, on the strategy of the builder and in its scope: on fibers each
     * task has a virtual thread, on a {@linkplain io.fibry.CreationStrategy#pool pool} as many tasks run at a time as the
     * pool has threads. The service ends with its scope at the latest. {@code cancel(true)} and {@code shutdownNow}
     * interrupt its tasks, and a task may wait for others, except on {@link io.fibry.CreationStrategy#caller()}.
     *
     * @param builder describes the actors
     * @return the service
     */
    public static ActorExecutorService sideBySide(ActorBuilder builder) {
        return new ActorExecutorService(Stereotypes
                .with(Objects.requireNonNull(builder, "builder").interruptOnCancel()).workers(message -> {
                }), true);
    }

    private enum State {
        /** The actor has the task. */
        QUEUED,
        /** A turn runs the task. */
        BEGUN,
        /** The task is over, or was returned by {@code shutdownNow}: no turn begins it. */
        OVER
    }

    /** What the service knows of one task. */
    private static final class Entry {
        final Runnable command;
        // Guarded by the lock.
        State state = State.QUEUED;
        /** The future of the code that was given to the actor; null until then. Written under the lock. */
        @Nullable CompletableFuture<?> answer;
        /** Whether the answer is to be cancelled: where it is not there yet, by the thread that gives the task. */
        boolean isUnwanted;

        Entry(Runnable command) {
            this.command = command;
        }
    }

    /** A submitted task. Its future is complete no later than that of the code which was given to the actor. */
    private final class Task<T extends @Nullable Object> extends FutureTask<T> {
        private final Object shown;
        /** Gets the task when it is complete. */
        private final Consumer<? super Task<T>> whenDone;
        /**
         * Completes when this task does, or the actor has ended without it; a wait for it is a wait for the actor. Written by
         * the thread that gives the task.
         */
        private volatile @Nullable CompletableFuture<?> outcome;
        /** Where it runs. Written by the thread that gives the task, and by the thread that runs it. */
        private volatile @Nullable Entry entry;

        Task(Callable<T> code, Object shown, Consumer<? super Task<T>> whenDone) {
            super(code);
            this.shown = shown;
            this.whenDone = whenDone;
        }

        @Override
        public T get() throws InterruptedException, ExecutionException {
            var mine = outcome;
            if (mine != null && !isDone()) {
                mine.get();
            }
            return super.get();
        }

        @Override
        public T get(long timeout, TimeUnit unit)
                throws InterruptedException, ExecutionException, TimeoutException {
            var mine = outcome;
            if (mine != null && !isDone()) {
                mine.get(timeout, unit);
            }
            return super.get(timeout, unit); // at once, unless shutdownNow has returned the task meanwhile
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            var isCancelled = super.cancel(false); // only the actor knows whether its thread still runs the task
            var mine = entry;
            if (isCancelled && mine != null) {
                cancelled(mine, mayInterruptIfRunning);
            }
            return isCancelled;
        }

        @Override
        protected void done() {
            completeOutcome();
            whenDone.accept(this);
        }

        private void completeOutcome() {
            var mine = outcome;
            if (mine != null) {
                mine.complete(null);
            }
        }

        /** Runs the task: on a turn of the actor, inside another task, or where the caller of {@code shutdownNow} wants it. */
        @Override
        public void run() {
            if (entry == null) {
                entry = inLock(() -> running.get(Thread.currentThread()));
            }
            super.run();
        }

        void isGiven(Entry mine, CompletableFuture<?> answer) {
            entry = mine;
            outcome = answer.handle((result, failure) -> null);
            if (isDone()) {
                completeOutcome();
            }
            if (isCancelled()) {
                cancelled(mine, false); // cancel may have come before the entry was known: then no code of the task runs
            }
        }

        void fail(Throwable failure) {
            setException(failure);
        }

        @Override
        public String toString() {
            return "Task[" + shown + ", of actor '" + actor.name() + "', " + state() + "]";
        }
    }

    private <T extends @Nullable Object> T inLock(Supplier<T> code) {
        lock.lock();
        try {
            return code.get();
        } finally {
            lock.unlock();
        }
    }

    private String who() {
        return "the executor service of actor '" + actor.name() + "'";
    }

    // ---- Tasks. ----

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Callable<T> callable) {
        return new Task<>(callable, callable, done -> {
        });
    }

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Runnable runnable, T value) {
        return new Task<>(Executors.callable(runnable, value), runnable, done -> {
        });
    }

    @Override
    public void execute(Runnable command) {
        var entry = new Entry(Objects.requireNonNull(command, "command"));
        if (!inLock(() -> !shutdown && entries.add(entry))) {
            throw new RejectedExecutionException(who() + " was shut down before it was given " + command
                    + "; give it all tasks before the shutdown, or use another one");
        }
        var given = false;
        CompletableFuture<?> answer;
        try {
            answer = actor.execFuture(() -> {
                run(entry);
                return null;
            });
            given = true;
        } catch (MailboxFullException full) {
            throw new RejectedExecutionException(full.getMessage(), full);
        } finally {
            if (!given) {
                end(entry);
            }
        }
        if (answer.state() == Future.State.FAILED && inLock(() -> entry.state == State.QUEUED)) {
            end(entry);
            throw new RejectedExecutionException(
                    who() + " did not accept " + command + ": it is " + actor.state()
                            + "; give the code to an actor that goes on, or give it less at a time",
                    answer.exceptionNow());
        }
        var isUnwanted = inLock(() -> {
            entry.answer = answer;
            return entry.isUnwanted || isNow;
        });
        if (command instanceof Task<?> task) {
            task.isGiven(entry, answer);
        }
        if (isUnwanted) {
            answer.cancel(true); // cancel, or shutdownNow, has seen the task without its answer
        }
        var unused = answer.whenComplete((result, failure) -> settled(entry, failure));
    }

    /** Runs a task on a turn of the actor. */
    private void run(Entry entry) {
        var thread = Thread.currentThread();
        Entry outer;
        lock.lock();
        try {
            if (entry.state != State.QUEUED) {
                return;
            }
            entry.state = State.BEGUN;
            outer = running.put(thread, entry); // on caller() a task may run below the one that gives it
        } finally {
            lock.unlock();
        }
        try {
            entry.command.run();
        } finally {
            inLock(() -> outer == null ? running.remove(thread) : running.put(thread, outer));
            end(entry);
        }
    }

    /** Notes that the code of a task has ended, or will not run. */
    private void end(Entry entry) {
        inLock(() -> {
            entry.state = State.OVER;
            return entries.remove(entry);
        });
        endIfOver();
    }

    /** Called when the actor has done with a task: if it was lost or abandoned, its future fails. */
    private void settled(Entry entry, @Nullable Throwable failure) {
        var isLost = failure != null && inLock(() -> entry.state == State.QUEUED
                || (entry.state == State.BEGUN && failure instanceof HandlerAbandonedException));
        if (isLost) {
            if (entry.command instanceof Task<?> task) {
                task.fail(Objects.requireNonNull(failure));
            }
            end(entry);
        }
    }

    /** Called when the future of a task was cancelled. */
    private void cancelled(Entry entry, boolean interrupts) {
        CompletableFuture<?> answer;
        boolean wasQueued;
        lock.lock();
        try {
            wasQueued = entry.state == State.QUEUED;
            entry.isUnwanted |= wasQueued || interrupts;
            answer = entry.isUnwanted ? entry.answer : null;
        } finally {
            lock.unlock();
        }
        if (wasQueued) {
            end(entry);
        }
        if (answer != null) {
            answer.cancel(true);
        }
    }

    // ---- The end. ----

    @Override
    public void shutdown() {
        inLock(() -> shutdown = true);
        endIfOver();
    }

    @Override
    public List<Runnable> shutdownNow() {
        var queued = new ArrayList<Entry>();
        var running = new ArrayList<Entry>();
        inLock(() -> {
            shutdown = true;
            isNow = true;
            for (var entry : entries) {
                if (entry.state == State.QUEUED) {
                    entry.state = State.OVER;
                    queued.add(entry);
                } else {
                    running.add(entry);
                }
            }
            return entries.removeIf(entry -> entry.state == State.OVER);
        });
        for (var all : List.of(queued, running)) {
            for (var entry : all) {
                var answer = inLock(() -> entry.answer);
                if (answer != null) {
                    answer.cancel(true);
                }
            }
        }
        endIfOver();
        return queued.stream().map(entry -> entry.command).toList();
    }

    private void endIfOver() {
        var isOver = inLock(() -> (shutdown || actor.state() == ActorState.STOPPED) && entries.isEmpty());
        if (isOver && terminated.complete(null) && owns) {
            actor.sendPoisonPill();
        }
    }

    @Override
    public boolean isShutdown() {
        var state = actor.state();
        return inLock(() -> shutdown) || state == ActorState.STOPPING || state == ActorState.STOPPED;
    }

    @Override
    public boolean isTerminated() {
        endIfOver();
        return terminated.isDone();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        if (isTerminated()) {
            return true;
        }
        if (isInside()) {
            throw new IllegalStateException("awaitTermination of " + who()
                    + " was called in one of its tasks and would wait for ever; call it outside, or use execute");
        }
        var stopped = actor.onStopped();
        var unused = stopped.thenRun(this::endIfOver);
        try {
            terminated.get(timeout, unit);
            return true;
        } catch (TimeoutException notYet) {
            return isTerminated();
        } catch (ExecutionException neverFails) {
            throw new AssertionError(neverFails);
        } finally {
            stopped.cancel(false); // a living actor would collect the futures
        }
    }

    /** Returns whether the calling thread runs one of the tasks. */
    private boolean isInside() {
        return inLock(() -> running.containsKey(Thread.currentThread()));
    }

    /**
     * Shuts this service down and waits for its termination, unless a task of it calls. If the thread is interrupted
     * meanwhile, what runs is interrupted and what is queued is cancelled.
     */
    @Override
    public void close() {
        shutdown();
        if (isInside()) {
            return;
        }
        var interrupted = false;
        while (!isTerminated()) {
            try {
                awaitTermination(1, TimeUnit.DAYS);
            } catch (InterruptedException e) {
                interrupted = true;
                for (var left : shutdownNow()) {
                    if (left instanceof Future<?> future) {
                        future.cancel(true);
                    }
                }
            }
        }
        if (owns) {
            actor.waitForExit();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- Many tasks. ----

    @Override
    public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks)
            throws InterruptedException {
        var all = super.invokeAll(tasks);
        all.forEach(task -> task.cancel(true)); // a wait that ended with the time of its handler has left some
        return all;
    }

    @Override
    public <T> T invokeAny(Collection<? extends Callable<T>> tasks)
            throws InterruptedException, ExecutionException {
        try {
            return first(tasks, new CompletableFuture<>());
        } catch (TimeoutException never) {
            throw new AssertionError(never);
        }
    }

    @Override
    public <T> T invokeAny(Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        return first(tasks, new CompletableFuture<@Nullable Object>().orTimeout(timeout, unit));
    }

    /**
     * Returns the first result. Tasks inside one actor run one after another, and the actor sees the waits for them, so a
     * cycle is refused. The JDK's method would put another task around each one, which would not fail when the actor stops.
     *
     * @param over fails when the time is over: then the tasks are cancelled, which ends the wait
     */
    <T> T first(Collection<? extends Callable<T>> tasks, CompletableFuture<@Nullable Object> over)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (tasks.isEmpty()) {
            throw new IllegalArgumentException(
                    who() + " was given no task of which it could return the result");
        }
        var done = new LinkedBlockingQueue<Task<T>>();
        var given = tasks.stream().map(code -> new Task<T>(code, code, done::add)).toList();
        var unused = over.whenComplete((nothing, late) -> given.forEach(task -> task.cancel(true)));
        ExecutionException failure = null;
        try {
            for (var task : given) {
                execute(task);
                if (task.state() == Future.State.SUCCESS) {
                    break;
                }
            }
            for (var each : given) {
                try {
                    return (owns ? done.take() : each).get();
                } catch (ExecutionException thrown) {
                    failure = thrown;
                } catch (CancellationException cancelled) {
                    failure = new ExecutionException(cancelled);
                }
            }
            if (over.isDone()) {
                throw new TimeoutException("no task that " + who() + " was given has ended in time");
            }
            throw Objects.requireNonNull(failure);
        } finally {
            over.complete(null); // cancels what is left
        }
    }

    @Override
    public String toString() {
        var count = inLock(entries::size);
        return "ActorExecutorService[actor '" + actor.name() + "', "
                + (isTerminated() ? "terminated" : isShutdown() ? "shut down" : "open") + ", tasks: " + count
                + "]";
    }
}
