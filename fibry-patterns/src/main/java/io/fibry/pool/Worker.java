package io.fibry.pool;

import io.fibry.Actor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A worker of a pool, and what the pool knows about it.
 *
 * <pre>
 *   TAKEN               at first: the thread that makes the worker
 *   LISTED -> TAKEN     a thread that has found it in the list of idle workers, and will hand a message over to it
 *   TAKEN  -> GIVEN     that thread, when there is a message for it; the message comes next
 *   GIVEN  -> FRESH     that thread, when the worker has the message
 *   FRESH  -> WORKING   the worker, when it looks for a message: it looks into its own mailbox once more then
 *   TAKEN  -> WORKING   that thread, under the lock of the claims, which it keeps until the worker has the message
 *   TAKEN  -> LISTED    that thread, when there is no message, or when it has failed
 *   GIVEN  -> LISTED    that thread, when the message was over, or when it has failed
 *   WORKING -> LISTED   the worker, when it has nothing left to do, and there is no message for it; or that thread, under the
 *                       lock of the claims, when the message was over, or has gone to the worker that has its key
 *   any    -> GONE      the worker, when it stops: its state may still be open
 *   GONE   -> ENDED     the thread that counts it no more, when its state is closed
 * </pre>
 *
 * <p>A worker is in the list at most once: the thread that has changed the state to {@code LISTED} adds it, and a thread
 * takes it from the list before it changes the state to {@code TAKEN}.
 *
 * <p>A worker may look for messages at any time, for instance after its start hook, and then it has found its own mailbox
 * empty. If it sees {@code GIVEN} or {@code FRESH}, it cannot know whether the message has come since then, or was handled
 * before. So it looks into its own mailbox again. After {@code FRESH} this is enough: the message had come before that, and
 * only the worker itself ends this state. After {@code GIVEN} the message may still be to come, so the worker repeats it.
 * The thread that gives the message waits for nothing meanwhile: a message that is handed over is never handled on that
 * thread.
 *
 * <p>As a function it chooses itself for a message.
 */
final class Worker<M, R extends @Nullable Object> implements Function<M, Optional<Actor<M, R>>> {
    enum State {
        LISTED, TAKEN, GIVEN, FRESH, WORKING, GONE, ENDED
    }

    /** Written by the worker and by threads that wake it, by CAS. */
    private final AtomicReference<State> state = new AtomicReference<>(State.TAKEN);
    /** Set by the maker, before the worker is in the map; the maker then looks whether it is gone. */
    private volatile int number;
    private Optional<Actor<M, R>> actor = Optional.empty();
    /** The state that was made last. Only the worker uses it. */
    private @Nullable OpenState<?> opened;

    // Accessed under the lock of the claims only.
    /** How many units its messages have taken. */
    int units;
    /** How many messages it was given since it had nothing to do. */
    int moved;
    /** Whether it was given a message since it has looked for one. */
    boolean isFresh;
    /** The keys whose messages it has. */
    final List<Key> keys = new ArrayList<>();

    /** Sets the actor, before another thread gets to know this worker. */
    void begin(int workerNumber, Actor<M, R> made) {
        number = workerNumber;
        actor = Optional.of(made);
    }

    /** Makes the state, inside the worker. */
    <S> OpenState<S> open(WorkerState<S> state) {
        var made = new OpenState<>(state);
        opened = made;
        return made;
    }

    /** Runs code when the state is closed, which the engine does after the exit hooks, or now if there is none to close. */
    void whenClosed(Runnable code) {
        var last = opened;
        if (last == null || !last.runWhenClosed(code)) {
            code.run();
        }
    }

    int number() {
        return number;
    }

    Optional<Actor<M, R>> actor() {
        return actor;
    }

    /** Returns whether the worker has finished a message, with or without a failure. */
    boolean hasHandled() {
        return actor.map(Actor::counters).filter(counts -> counts.handled() + counts.failed() > 0)
                .isPresent();
    }

    boolean isWorking() {
        return state.get() == State.WORKING;
    }

    /**
     * Called by the worker when it has found no message; returns whether it is to look into its own mailbox once more,
     * as it may have been given a message since.
     */
    boolean lookAgain() {
        return switch (state.get()) {
            case GIVEN -> {
                Thread.yield();
                yield true;
            }
            case FRESH -> state.compareAndSet(State.FRESH, State.WORKING);
            case LISTED, TAKEN, WORKING, GONE, ENDED -> false;
        };
    }

    /** Notes that the worker has the message that it was given, unless it is gone. */
    void confirmGiven() {
        // mutant: worker-looks-once-after-it-was-given-a-message
        state.compareAndSet(State.GIVEN, State.FRESH);
    }

    /** Takes the worker out of the list of idle workers; returns false if another thread has done so, or if it is gone. */
    boolean take() {
        return state.compareAndSet(State.LISTED, State.TAKEN);
    }

    /** Notes that the worker is about to be in the list; returns false if it is there already, or if it is gone. */
    boolean list() {
        var before = state.get();
        return before != State.LISTED && before != State.GONE && before != State.ENDED
                && state.compareAndSet(before, State.LISTED);
    }

    /** Notes that the worker stops; returns false if that is known. */
    boolean leave() {
        return state.getAndUpdate(before -> before == State.ENDED ? before : State.GONE)
                .compareTo(State.GONE) < 0;
    }

    /** Notes that the worker has ended, and that its place is free; returns false if that is known. */
    boolean givePlaceBack() {
        return state.getAndSet(State.ENDED) != State.ENDED;
    }

    /** Whether the worker takes no message any more. */
    boolean isGone() {
        return state.get().compareTo(State.GONE) >= 0;
    }

    boolean isEnded() {
        return state.get() == State.ENDED;
    }

    /** Returns the actor, which is to get a message now. Called under the lock of the claims. */
    Optional<Actor<M, R>> toWork() {
        if (state.get() == State.TAKEN) {
            state.compareAndSet(State.TAKEN, State.WORKING);
        }
        return actor;
    }

    @Override
    public Optional<Actor<M, R>> apply(M message) {
        // mutant: worker-looks-while-it-is-given-a-message
        state.compareAndSet(State.TAKEN, State.GIVEN);
        return actor;
    }
}
