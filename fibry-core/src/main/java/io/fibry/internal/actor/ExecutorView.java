package io.fibry.internal.actor;

import io.fibry.Actor;
import io.fibry.MailboxFullException;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.run.Gate;
import io.fibry.internal.run.Strategies;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An actor as an {@link ExecutorService}. A task is code that is given to the actor. The view lists the tasks that are
 * not over. It has terminated when it has been shut down, or its actor has stopped, and the list is empty. The lock
 * guards the list and the states of the tasks; no code of the user runs under it.
 */
public final class ExecutorView extends AbstractExecutorService {
    private final Handle<?, ?> actor;
    /** Whether the actor was made for this view alone, and ends with it. */
    private final boolean owns;
    /** Guards the tasks and their states; no code of the user runs below it. */
    private final ReentrantLock lock = new ReentrantLock();
    private final Gate terminated = new Gate();

    // Guarded by the lock.
    private final Set<ExecutorTask<?>> tasks = new LinkedHashSet<>();
    private boolean shutdown;

    private ExecutorView(Handle<?, ?> actor, boolean owns) {
        this.actor = actor;
        this.owns = owns;
    }

    /** Returns a view of an actor, which goes on when the view is shut down. */
    static ExecutorService of(Handle<?, ?> actor) {
        return new ExecutorView(actor, false);
    }

    /**
     * Returns a view of an actor that ends with the view.
     *
     * @param actor an actor that was made for this view
     * @return the view
     */
    public static ExecutorService owning(Actor<?, ?> actor) {
        return new ExecutorView((Handle<?, ?>) actor, true);
    }

    /** Returns the name of this view in the texts of exceptions. An actor that was made for the view has a name if that has one. */
    private String who() {
        var spec = actor.spec;
        return !owns ? "the executor service of actor '" + actor.name() + "'"
                : "the executor service " + (actor.givenName() == null ? "" : "'" + actor.givenName() + "' ")
                        + "of scope '"
                        + spec.scope.name() + "' on " + spec.strategy();
    }

    /** Returns why an actor has not accepted code, and what to do. */
    static String refusal(String refused, Handle<?, ?> actor) {
        return refused + ": it is " + actor.state() + ", its mailbox is " + actor.spec.mailbox
                + (actor.exitRequested()
                        ? "; give the code to an actor that goes on, and before the end of its scope"
                        : "; give it less at a time, or build the actor with more room or a policy that blocks");
    }

    // ---- Tasks. ----

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Callable<T> callable) {
        return new ExecutorTask<>(this, actor, Objects.requireNonNull(callable, "task"), callable, false);
    }

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Runnable runnable, T value) {
        return new ExecutorTask<>(this, actor,
                Executors.callable(Objects.requireNonNull(runnable, "task"), value),
                runnable, false);
    }

    @Override
    public void execute(Runnable command) {
        Objects.requireNonNull(command, "command");
        send(command instanceof ExecutorTask<?> mine && mine.view == this && isNew(mine)
                ? mine
                : new ExecutorTask<>(this, actor, Executors.callable(command), command, true));
    }

    @SuppressWarnings("unchecked") // the engine handles answers of any type alike
    private void send(ExecutorTask<?> task) {
        var isOpen = inLock(() -> {
            if (!shutdown) {
                tasks.add(task);
            }
            return !shutdown;
        });
        if (!isOpen) {
            throw new RejectedExecutionException(who() + " was shut down before it was given "
                    + task.shown + "; give it all tasks before the shutdown, or use another one");
        }
        var accepted = false;
        try {
            accepted = actor.send(
                    TaskNode.to(actor.spec, task::runInTurn, task.shown, (Answer<@Nullable Object>) task),
                    Long.MAX_VALUE);
        } catch (MailboxFullException full) {
            throw new RejectedExecutionException(full.getMessage(), full);
        } finally {
            if (!accepted) {
                inLock(() -> tasks.remove(task));
                endIfOver();
            }
        }
        if (!accepted) {
            throw new RejectedExecutionException(refusal(who() + " did not accept " + task.shown, actor));
        }
        if (inLock(() -> task.state == ExecutorTask.State.RETURNED)) {
            task.takeBack(); // it was returned before there was a node to take it back from
        }
    }

    private boolean isNew(ExecutorTask<?> task) {
        return inLock(() -> task.state == ExecutorTask.State.QUEUED && !tasks.contains(task));
    }

    private <T> T inLock(Supplier<T> code) {
        lock.lock();
        try {
            return code.get();
        } finally {
            lock.unlock();
        }
    }

    // ---- Called by tasks. ----

    /** Begins a task; returns false if it is not to run. A turn does not run a task that was returned. */
    boolean begin(ExecutorTask<?> task, boolean inTurn) {
        return inLock(() -> {
            var mayBegin = task.state == ExecutorTask.State.QUEUED
                    || (!inTurn && task.state == ExecutorTask.State.RETURNED && !task.isDone());
            if (mayBegin) {
                task.state = ExecutorTask.State.BEGUN;
                task.runner = Thread.currentThread();
            } else if (inTurn) {
                task.tooLate = Thread.currentThread();
            }
            return mayBegin;
        });
    }

    /** Notes that the code of a task has ended. */
    void end(ExecutorTask<?> task) {
        inLock(() -> {
            task.state = ExecutorTask.State.OVER;
            task.runner = null;
            return tasks.remove(task);
        });
        endIfOver();
    }

    /** Returns whether the calling thread may complete the task. The thread of a turn that came too late may not. */
    boolean mayComplete(ExecutorTask<?> task) {
        return inLock(() -> {
            if (task.tooLate != Thread.currentThread()) {
                return true;
            }
            task.tooLate = null;
            return false;
        });
    }

    /**
     * Notes that the future of a task is complete. If the task has not begun, it will not begin any more. If it was
     * abandoned, it is over for this view, which would otherwise wait for it for ever.
     */
    void settled(ExecutorTask<?> task) {
        var isOver = inLock(() -> {
            var wasAbandoned = task.state == ExecutorTask.State.BEGUN
                    && task.runner != Thread.currentThread() && task.wasAbandoned();
            if (task.state != ExecutorTask.State.QUEUED && !wasAbandoned) {
                return false;
            }
            task.state = ExecutorTask.State.OVER;
            task.runner = null;
            return tasks.remove(task);
        });
        if (isOver) {
            endIfOver();
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
        var queued = new ArrayList<ExecutorTask<?>>();
        var running = new ArrayList<ExecutorTask<?>>();
        inLock(() -> {
            shutdown = true;
            for (var task : tasks) {
                if (task.state == ExecutorTask.State.QUEUED) {
                    task.state = ExecutorTask.State.RETURNED;
                    queued.add(task);
                } else {
                    running.add(task);
                }
            }
            return tasks.removeIf(task -> task.state == ExecutorTask.State.RETURNED);
        });
        queued.forEach(Answer::takeBack);
        running.forEach(ExecutorTask::interrupt);
        endIfOver();
        return queued.stream().map(ExecutorTask::asReturned).toList();
    }

    private void endIfOver() {
        if (inLock(() -> (shutdown || actor.hasExited()) && tasks.isEmpty()) && !terminated.isOpen()) {
            terminated.open();
            if (owns) {
                Strategies.FIBER_EXECUTOR.execute(actor::sendPoisonPill);
            }
        }
    }

    @Override
    public boolean isShutdown() {
        return inLock(() -> shutdown) || actor.hasClosed();
    }

    @Override
    public boolean isTerminated() {
        return terminated.isOpen() || (actor.hasExited() && inLock(tasks::isEmpty));
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        if (isTerminated()) {
            return true;
        }
        requireOutside("awaitTermination");
        var stopped = EndAnswer.of(actor);
        var unused = stopped.thenRun(this::endIfOver);
        try {
            return terminated.await(actor.spec.scope.time(), Math.max(0, unit.toNanos(timeout)))
                    || isTerminated();
        } finally {
            stopped.cancel(false); // a living actor would collect the futures
        }
    }

    /**
     * Returns whether the calling thread runs the actor, a child of it or one of the tasks, and so cannot wait for the
     * termination.
     */
    private boolean isInside() {
        return Current.isWithin(actor) || inLock(
                () -> tasks.stream().anyMatch(task -> task.runner == Thread.currentThread()));
    }

    private void requireOutside(String method) {
        if (isInside()) {
            throw new IllegalStateException(method + " of " + who()
                    + "' was called inside it and would wait for ever; call it outside, or use execute");
        }
    }

    /**
     * Shuts this service down and waits for its termination, unless it is called inside. If the thread is interrupted
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
                awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
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
            Stopping.awaitUninterrupted(actor, actor.spec.scope.time(), Long.MAX_VALUE);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- Many tasks. ----

    @Override
    public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks)
            throws InterruptedException {
        requireNotInside("invokeAll");
        var all = super.invokeAll(tasks);
        all.forEach(task -> task.cancel(true)); // a wait that ended with the handler's deadline has left some
        return all;
    }

    @Override
    public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
            throws InterruptedException {
        requireNotInside("invokeAll");
        return super.invokeAll(tasks, timeout, unit);
    }

    @Override
    public <T> T invokeAny(Collection<? extends Callable<T>> tasks)
            throws InterruptedException, ExecutionException {
        try {
            return any(tasks, Long.MAX_VALUE);
        } catch (TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public <T> T invokeAny(Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        return any(tasks, Math.max(0, unit.toNanos(timeout)));
    }

    /**
     * Replaces the method of the superclass, which waits in a queue of the JDK, where a pool does not notice the wait.
     * This method waits at a gate.
     */
    private <T> T any(Collection<? extends Callable<T>> codes, long nanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        requireNotInside("invokeAny");
        if (codes.isEmpty()) {
            throw new IllegalArgumentException("tasks must not be empty: none of them can have a result");
        }
        var given = new ArrayList<ExecutorTask<T>>();
        var left = new AtomicInteger(codes.size());
        var known = new Gate();
        try {
            for (var code : codes) {
                var task =
                        new ExecutorTask<T>(this, actor, Objects.requireNonNull(code, "task"), code, false);
                given.add(task);
                var unused = task.whenComplete((result, failure) -> {
                    if (failure == null || left.decrementAndGet() == 0) {
                        known.open();
                    }
                });
                execute(task);
                if (known.isOpen()) {
                    break;
                }
            }
            if (!known.await(actor.spec.scope.time(), nanos)) {
                throw new TimeoutException(
                        "none of " + codes.size() + " tasks given to " + who()
                                + " had a result within " + Durations.text(nanos));
            }
            return best(given).get();
        } catch (CancellationException cancelled) {
            throw new ExecutionException(cancelled);
        } finally {
            given.forEach(task -> task.cancel(true));
        }
    }

    /** Returns a task that has a result; if there is none, one that has failed. */
    private static <T> ExecutorTask<T> best(List<ExecutorTask<T>> over) {
        for (var state : List.of(Future.State.SUCCESS, Future.State.FAILED)) {
            for (var task : over) {
                if (task.state() == state) {
                    return task;
                }
            }
        }
        return over.getLast();
    }

    /** Refuses a wait inside the actor that would have to run the tasks. */
    private void requireNotInside(String method) {
        if (Current.isInside(actor)) {
            throw new IllegalStateException(method + " of " + who()
                    + "' was called inside that actor, which would wait for itself; call it outside");
        }
    }

    @Override
    public String toString() {
        var count = inLock(tasks::size);
        return "ExecutorService[" + (owns ? who() : "actor '" + actor.name() + "'") + ", "
                + (isTerminated() ? "terminated" : isShutdown() ? "shut down" : "open") + ", tasks: " + count
                + "]";
    }
}
