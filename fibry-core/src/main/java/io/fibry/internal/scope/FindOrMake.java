package io.fibry.internal.scope;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorInterruptedException;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Current;
import io.fibry.internal.cycles.EndEdge;
import io.fibry.internal.cycles.WaitGraph;
import io.fibry.internal.handle.Stopping;
import io.fibry.internal.memory.Interleave;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the actor that has a name, or makes one.
 *
 * <p>An actor takes its name in one atomic step of {@link Names}. If several actors are made for one name,
 * one of them gets the name. No thread has seen the others, and their makers look again. No user code runs
 * inside the atomic step. A maker that comes too late finds the winner, or the winner has stopped in the meantime
 * and the name is free again. So each round ends with an actor, or another thread has made one.
 */
record FindOrMake(Scope scope, String name) {
    @SuppressWarnings("unchecked") // the caller's claim, as documented
    <M, R extends @Nullable Object> Actor<M, R> run(
            Function<? super ActorBuilder, ? extends Actor<M, R>> maker) {
        while (true) {
            var there = scope.nameTable().find(name);
            assert Interleave.here();
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

    /** Returns the actor that the maker makes, or null if another actor has taken the name in the meantime. */
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
        if (made instanceof Cell cell && cell.spec().scope() == scope && name.equals(cell.givenName())) {
            return made;
        }
        throw new IllegalStateException(
                "the function that makes actor '" + name + "' of scope '" + scope.name()
                        + "' has returned " + made + "; make the actor with the builder that it is given");
    }

    /** Returns whether the actor was asked to end. A message that is sent to it now would come too late. */
    private static boolean isEnding(Cell cell) {
        var extended = cell.extendedStateIfAny();
        return extended != null
                && (extended.pill || extended.exitReason() != null || extended.isStopping());
    }

    private void awaitEnd(Cell cell) {
        var turn = Current.turn();
        for (var ancestor = turn == null ? null : turn.cell; ancestor != null; ancestor =
                ancestor.spec().parent()) {
            requireNot(cell, ancestor);
        }
        WaitGraph.enter(new EndEdge(cell));
        try {
            if (Current.isWithin(cell)) {
                requireNot(cell, cell); // it is below on this stack, without an edge in the wait graph
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
                    + "' is stopping, and its name is not free before the caller, which is part of it, has ended; "
                    + "make its successor outside of the actor");
        }
    }
}
