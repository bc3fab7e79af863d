package io.fibry.internal.actor;

import io.fibry.Actor;
import io.fibry.ActorStoppedException;
import io.fibry.AskCycleException;
import io.fibry.AskTimeoutException;
import io.fibry.MailboxPolicy;
import io.fibry.function.ReplyHandler;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.StackReserve;
import io.fibry.internal.run.Strategies;
import io.fibry.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Code that runs while several actors are held, each between two of its messages.
 *
 * <p>The actors are taken one after the other, in one order for all holdings: that of their {@link Supervision#number}. So
 * two holdings never wait for each other. Each actor gets a piece of code as by {@code execFuture}. A turn that reaches it
 * leaves its actor and takes the next one, see {@link HeldActor}; no thread waits. The turn of the last actor runs the
 * user's code, then all others go on.
 *
 * <pre>
 *   phase: COLLECTING -> RUNNING   the turn of the last actor, by CAS, before it runs the code
 *          COLLECTING -> GIVEN_UP  any thread, by CAS: the answer is complete (cancelled, timed out, refused), or one of
 *                                  the actors that are held is to exit
 *          RUNNING -> OVER         the thread that has run the code
 * </pre>
 *
 * <p>The thread that makes the phase OVER or GIVEN_UP releases all actors. While the code runs nothing else releases them, so it has
 * them to itself, even if its answer is complete by then.
 *
 * <p>The wait for an actor that is being taken is an edge of {@link WaitGraph}: from each actor that is held, and from each
 * actor that waits for the answer, to {@link #awaited}. That changes. The thread that changes it then looks for a
 * cycle; a thread that publishes another edge looks for one after that. So the later of the two finds it.
 */
public final class Holding<T extends @Nullable Object>
        implements
            Callable<T>,
            ReplyHandler<Object, T> {
    private enum Phase {
        COLLECTING, RUNNING, OVER, GIVEN_UP
    }

    private static final VarHandle PHASE = FieldAccess.of(MethodHandles.lookup(), "phase", Phase.class);

    private final List<HeldActor> held = new ArrayList<>();
    private final Handle<?, ?> last;
    private final HeldCode<T> code;
    /** The object of the user, which reports show. */
    private final Object shown;
    private final HeldAnswer<T> answer;
    private final TimeSource time;
    /** The time limit as the ask of a handler; null if there is none. */
    private final @Nullable TimedAnswer<?> deadline;
    private final long timeoutNanos;
    private final long begun;

    private volatile Phase phase = Phase.COLLECTING;
    private volatile Cell awaited;
    /** How many actors have got their piece of code. Written by the thread that takes the next one. */
    private volatile int asked;
    /** The ask of the actor that is being taken. */
    private volatile @Nullable CompletableFuture<?> step;
    /** Whether the code has run, or runs. Written by the thread that runs it, before it answers. */
    private boolean hasRun;
    /** What the code has thrown. Written before the actors are released. */
    private @Nullable Throwable failure;

    private Holding(List<Handle<?, ?>> named, ReplyHandler<List<Object>, T> given, boolean usesStates,
            Object shown, long timeoutNanos) {
        var inOrder = new ArrayList<>(new LinkedHashSet<>(named));
        inOrder.sort(new ByNumber());
        this.shown = shown;
        this.timeoutNanos = timeoutNanos;
        last = inOrder.getLast();
        for (var cell : inOrder.subList(0, inOrder.size() - 1)) {
            held.add(new HeldActor(this, cell, held.size()));
        }
        code = new HeldCode<>(given, named, usesStates, held, last);
        var current = Deadlines.current();
        deadline = current == null ? null : current.tightest();
        time = last.spec.scope.time();
        begun = time.nanoTime();
        awaited = cell(0);
        answer = new HeldAnswer<>(awaited);
        answer.belongTo(this);
    }

    /**
     * Begins to take the actors, which were checked.
     *
     * @param shown the object of the user, which reports show
     * @param timeoutNanos how long all may take; {@code Long.MAX_VALUE} for no limit
     */
    public static <T extends @Nullable Object> CompletableFuture<T> begin(
            List<? extends Actor<?, ?>> actors, Callable<T> code, Object shown, long timeoutNanos) {
        return begin(actors, new WithoutStates<>(code), false, shown, timeoutNanos);
    }

    /** As {@link #begin}, for code that gets the states of the actors, in the order in which these were named. */
    public static <T extends @Nullable Object> CompletableFuture<T> beginWithStates(
            List<? extends Actor<?, ?>> actors, ReplyHandler<List<Object>, T> code, Object shown,
            long timeoutNanos) {
        return begin(actors, code, true, shown, timeoutNanos);
    }

    private static <T extends @Nullable Object> CompletableFuture<T> begin(List<? extends Actor<?, ?>> actors,
            ReplyHandler<List<Object>, T> code, boolean usesStates, Object shown, long timeoutNanos) {
        StackReserve.require();
        var cells = new ArrayList<Handle<?, ?>>();
        for (var actor : actors) {
            cells.add((Handle<?, ?>) actor);
        }
        var holding = new Holding<T>(cells, code, usesStates, shown, timeoutNanos);
        holding.send(0);
        return holding.answer;
    }

    private record WithoutStates<T extends @Nullable Object>(Callable<T> code)
            implements
                ReplyHandler<List<Object>, T> {
        @Override
        public T handle(List<Object> states) throws Exception {
            return code.call();
        }
    }

    private record ByNumber() implements Comparator<Handle<?, ?>> {
        @Override
        public int compare(Handle<?, ?> one, Handle<?, ?> other) {
            return Long.compare(one.supervision().number(), other.supervision().number());
        }
    }

    private Handle<?, ?> cell(int number) {
        return number < held.size() ? held.get(number).cell : last;
    }

    /**
     * Notes that this holding waits for the next actor from now on. Called by the turn that has left the one before,
     * which does not yet have an edge: that edge never leads back to its own actor.
     */
    void await(int number) {
        awaited = cell(number);
    }

    /** Takes the next actor. Called by the turn that has left the one before. */
    void take(int number) {
        var spec = cell(number).spec;
        if (spec.mailbox instanceof MailboxPolicy.Unbounded && !spec.placement.mayRunInPlace()
                && spec.scope.budget() == null) {
            takeHere(number);
        } else {
            Strategies.FIBER_EXECUTOR.execute(new Step(this, number)); // the send may wait, or run the actor
        }
    }

    private record Step(Holding<?> holding, int number) implements Runnable {
        @Override
        public void run() {
            holding.takeHere(number);
        }
    }

    private void takeHere(int number) {
        try {
            // mutant: cycle-through-a-held-actor-is-not-looked-for
            var cycle = WaitGraph.cycleThrough(cell(number));
            if (cycle.isPresent()) {
                end(new AskCycleException(cycle.get()));
            } else {
                send(number);
            }
        } catch (Throwable refusal) {
            end(refusal);
        }
    }

    private void send(int number) {
        var cell = cell(number);
        var left = timeoutNanos == Long.MAX_VALUE
                ? Long.MAX_VALUE
                : timeoutNanos - (time.nanoTime() - begun);
        if (left <= 0) {
            end(new AskTimeoutException("code for " + (held.size() + 1) + " actors did not end within "
                    + Durations.text(timeoutNanos) + ": " + details()));
            return;
        }
        var sent =
                cell.task(step(number), shown, left, deadline, new StepBegin<>(this, number == held.size()));
        asked = number + 1;
        assert Interleave.here();
        if (phase == Phase.GIVEN_UP) {
            sent.cancel(false);
        }
    }

    /** Prepares the answer of a step before the step is sent: the send may wait, or run the actor. */
    private record StepBegin<T extends @Nullable Object>(Holding<T> holding, boolean isLast)
            implements
                Consumer<Answer<?>> {
        @Override
        public void accept(Answer<?> answer) {
            holding.step = answer;
            var unused = answer.whenComplete(new StepEnd<>(holding, isLast));
        }
    }

    /** Returns the code that the actor of this number reaches. */
    private Callable<?> step(int number) {
        if (number == held.size()) {
            return code.usesStates() ? last.withState(this) : this;
        }
        var actor = held.get(number);
        var reached = new Reached(this, actor);
        return code.usesStates() ? actor.cell.withState(reached) : reached;
    }

    /** Returns whether code belongs to a holding, which cannot take the successor of an actor in its place. */
    static boolean isStep(Callable<?> code) {
        var given = code instanceof StateTask task ? task.code() : code;
        return given instanceof Holding || given instanceof Reached;
    }

    /**
     * Returns whether a node belongs to a holding that was accepted by its first actor. A scope that is being closed takes it,
     * as it takes what its own actors send.
     */
    static boolean isLaterStep(Node node) {
        var code = node instanceof TaskNode task ? task.code() : null;
        var given = code instanceof StateTask task ? task.code() : code;
        return given instanceof Holding<?> last ? !last.held.isEmpty()
                : given instanceof Reached reached && reached.actor != reached.holding.held.getFirst();
    }

    /** The code that an actor reaches that is to be held. */
    private record Reached(Holding<?> holding, HeldActor actor)
            implements
                Callable<@Nullable Object>,
                ReplyHandler<Object, @Nullable Object> {
        @Override
        public @Nullable Object handle(Object state) {
            holding.code.add(actor.cell, state);
            return call();
        }

        @Override
        public @Nullable Object call() {
            var turn = Current.turn();
            if (turn != null) {
                actor.reach(turn);
            }
            return null;
        }
    }

    private record StepEnd<T extends @Nullable Object>(Holding<T> holding, boolean isLast)
            implements
                BiConsumer<@Nullable Object, @Nullable Throwable> {
        @Override
        @SuppressWarnings({"unchecked", "NullAway"}) // the last step gives what the code returns
        public void accept(@Nullable Object value, @Nullable Throwable thrown) {
            if (thrown != null) {
                holding.end(thrown);
            } else if (isLast && holding.hasRun) {
                holding.answer.succeed((T) value);
            }
        }
    }

    /** As {@link #call()}, for an actor whose state the code uses. */
    @Override
    public T handle(Object state) throws Exception {
        code.add(last, state);
        return call();
    }

    /** Runs the user's code. Called by the turn of the last actor; all others are held. */
    @Override
    @SuppressWarnings("NullAway") // the answer is complete if the code does not run
    public T call() throws Exception {
        // mutant: code-runs-although-its-actors-were-released
        if (!PHASE.compareAndSet(this, Phase.COLLECTING, Phase.RUNNING)) {
            return null;
        }
        hasRun = true;
        try {
            return code.call();
        } catch (Throwable thrown) {
            if (!isCancelled(thrown)) {
                failure = thrown;
            }
            throw thrown;
        } finally {
            phase = Phase.OVER;
            releaseAll();
        }
    }

    /** Returns whether the code has thrown this since its result was cancelled: that is no failure. */
    private boolean isCancelled(Throwable thrown) {
        return answer.isOver() && last.spec.interruptOnCancel && Interrupts.isCauseOf(thrown);
    }

    /**
     * Fails the answer. If the code has not begun, the actors go on first. A fiber then completes the answer, which may
     * have callbacks: the calling thread may have left its actor, or may only ask an actor to exit. What follows from
     * that, such as a cancelled step, is ignored.
     */
    private void end(Throwable why) {
        if (release()) {
            Strategies.FIBER_EXECUTOR.execute(new Ending(this, why));
        } else if (phase != Phase.GIVEN_UP) {
            answer.failWith(why);
        }
    }

    private record Ending(Holding<?> holding, Throwable why) implements Runnable {
        @Override
        public void run() {
            holding.answer.failWith(why);
            holding.cancelStep();
        }
    }

    /** Lets the actors go on, unless the code runs. The answer is complete. */
    void giveUp() {
        if (release()) {
            cancelStep();
        }
    }

    private boolean release() {
        // mutant: actors-are-released-while-the-code-runs
        if (!PHASE.compareAndSet(this, Phase.COLLECTING, Phase.GIVEN_UP)) {
            return false;
        }
        assert Interleave.here();
        releaseAll();
        return true;
    }

    /** Cancels the ask of the actor that is being taken, or that runs the code. */
    void cancelStep() {
        var current = step;
        if (current != null) {
            current.cancel(true);
        }
    }

    private void releaseAll() {
        Throwable thrown = null;
        for (var each : held) {
            try {
                each.release();
            } catch (Throwable failure) {
                thrown = failure; // for lack of memory, say: the others go on nevertheless
            }
        }
        if (thrown != null) {
            HeldCode.<RuntimeException>raise(thrown);
        }
    }

    /** Ends the holding for an actor that is held and is to exit; if the code runs already, a forced stop interrupts it. */
    void onExitOf(Handle<?, ?> cell, boolean forced) {
        if (phase == Phase.COLLECTING) {
            end(new ActorStoppedException("actor '" + cell.name() + "' stopped (" + cell.stopReason()
                    + ") while it was held for code that needs " + (held.size() + 1) + " actors"));
        }
        if (forced) {
            code.interrupt();
        }
    }

    /** Applies the policy of an actor that was held to the failure of the code, which may have left its state half changed. */
    void tellFailure(Turn turn) {
        var thrown = failure;
        if (thrown != null) {
            turn.othersFailed(thrown);
        }
    }

    Cell awaited() {
        return awaited;
    }

    /** Returns whether the actor of this number has got its piece of code. */
    boolean hasAsked(int number) {
        return asked > number;
    }

    boolean isOver() {
        var seen = phase;
        return seen == Phase.OVER || seen == Phase.GIVEN_UP;
    }

    /** Returns whether the code cannot run before the calling handler has ended. */
    boolean concerns() {
        if (Current.isInside(last)) {
            return true;
        }
        for (var each : held) {
            if (Current.isInside(each.cell)) {
                return true;
            }
        }
        return false;
    }

    String details() {
        var at = awaited;
        return switch (phase) {
            case COLLECTING -> "it needs " + (held.size() + 1) + " actors and waits for '" + at.name()
                    + "', which is " + at.state() + TimeoutDetails.doing(at);
            case RUNNING -> "its code is running in '" + at.name() + "'" + TimeoutDetails.doing(at);
            case OVER, GIVEN_UP -> "it is over";
        };
    }
}
