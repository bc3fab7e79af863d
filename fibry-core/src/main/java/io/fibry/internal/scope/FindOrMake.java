package io.fibry.internal.scope;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorInterruptedException;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Current;
import io.fibry.internal.actor.Stopping;
import io.fibry.internal.actor.WaitGraph;
import io.fibry.internal.actor.Waiting;
import io.fibry.internal.memory.Interleave;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the actor of a name, or makes it.
 *
 * <p>The atomic step is the taking of the name in {@link Names}: of several actors that are made for it one gets it, and
 * the makers of the others, which nobody has seen, look again. No user code runs inside of that step. A maker that comes
 * too late finds the winner, or the winner has stopped meanwhile and the name is free again; so each round ends with an
 * actor, or another thread has made one.
 */
record FindOrMake(Scope scope, String name) {
    /** The end of an actor that is waited for. */
    private record Exit(Cell target) implements Waiting {
        @Override
        public boolean isOver() {
            return target.extendedState().exited.isOpen();
        }
    }

    @SuppressWarnings("unchecked") // the caller's claim, as documented
    <M, R extends @Nullable Object> Actor<M, R> run(
            Function<? super ActorBuilder, ? extends Actor<M, R>> maker) {
        while (true) {
            var there = scope.nameTable().find(name);
            Interleave.here();
            if (there.isPresent()) {
                var cell = there.get();
                // mutant: stopping-actor-is-found
                if (!isEnding(cell)) {
                    return (Actor<M, R>) cell;
                }
                awaitEnd(cell);
            } else {
                var made = make(maker);
                if (made != null) {
                    return made;
                }
            }
        }
    }

    /** Null if the name was taken meanwhile. */
    private <M, R extends @Nullable Object> @Nullable Actor<M, R> make(
            Function<? super ActorBuilder, ? extends Actor<M, R>> maker) {
        Actor<M, R> made;
        try {
            made = maker.apply(scope.named(name));
        } catch (NameTakenException taken) {
            // mutant: late-maker-of-a-name-fails
            if (taken.isOf(scope, name)) {
                return null;
            }
            throw taken;
        }
        if (made instanceof Cell cell && cell.spec().scope() == scope && name.equals(cell.spec().name())) {
            return made;
        }
        throw new IllegalStateException("what was to make actor '" + name + "' of scope '" + scope.name()
                + "' has returned " + made + "; make the actor with the builder that it is given");
    }

    /** Whether it has been told to end: what is sent to it now would come too late. */
    private static boolean isEnding(Cell cell) {
        var companion = cell.extendedStateIfAny();
        return companion != null
                && (companion.pill || companion.exitReason() != null || companion.hasClosed());
    }

    private void awaitEnd(Cell cell) {
        var turn = Current.turn();
        for (var one = turn == null ? null : turn.cell; one != null; one = one.spec().parent()) {
            requireNot(cell, one);
        }
        WaitGraph.enter(new Exit(cell));
        try {
            if (Current.isWithin(cell)) {
                requireNot(cell, cell); // it is below on this stack, and waits for nobody
            }
            Stopping.awaitExit(cell, Long.MAX_VALUE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ActorInterruptedException("interrupted while waiting for the exit of actor '" + name
                    + "', whose name was asked for");
        } finally {
            WaitGraph.leave();
        }
    }

    private void requireNot(Cell stopping, Cell caller) {
        if (stopping == caller) {
            throw new IllegalStateException("actor '" + name
                    + "' is stopping, and its name is not free before what calls here has ended; "
                    + "make its successor outside of the actor");
        }
    }
}
