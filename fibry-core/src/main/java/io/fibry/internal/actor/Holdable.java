package io.fibry.internal.actor;

import io.fibry.Actor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/** Tells which actors a {@link Holding} can hold. */
public final class Holdable {
    private Holdable() {
    }

    /** Returns the actors; throws if there is none, or one that cannot be held. */
    public static List<? extends Actor<?, ?>> of(Collection<? extends Actor<?, ?>> actors) {
        var cells = new ArrayList<Handle<?, ?>>();
        for (var actor : actors) {
            cells.add(checked(Objects.requireNonNull(actor, "actor")));
        }
        if (cells.isEmpty()) {
            throw new IllegalArgumentException("at least one actor has to be named");
        }
        return List.copyOf(cells);
    }

    /** As {@link #of}; throws also if one of the actors has no state. */
    public static List<? extends Actor<?, ?>> withStates(Collection<? extends Actor<?, ?>> actors) {
        var cells = of(actors);
        for (var cell : cells) {
            ((Handle<?, ?>) cell).requireState();
        }
        return cells;
    }

    private static Handle<?, ?> checked(Actor<?, ?> actor) {
        if (!(actor instanceof Handle<?, ?> cell)) {
            throw new IllegalArgumentException("an actor of this library is needed, not " + actor);
        }
        var why = cell.spec.receiving
                ? "receives messages in its own code, which cannot be held"
                : cell.behavior instanceof ForwardingBehavior
                        ? "hands its messages to workers, which have nothing in common to hold"
                : isAbandoning(cell)
                        ? "abandons stuck handlers, so the code could go on when the others are not held any more"
                : null;
        if (why != null) {
            throw new IllegalArgumentException("actor '" + cell.name() + "' " + why
                    + "; hold other actors, or send a message to this one");
        }
        return cell;
    }

    private static boolean isAbandoning(Cell cell) {
        var extended = cell.extendedStateIfAny();
        return extended != null && extended.delegation != null;
    }

    /** Throws if a time limit for these actors would be measured by more than one clock. */
    public static void requireOneClock(List<? extends Actor<?, ?>> actors) {
        var first = (Cell) actors.getFirst();
        for (var actor : actors) {
            var cell = (Cell) actor;
            if (cell.spec.scope.time() != first.spec.scope.time()) {
                throw new IllegalArgumentException("the scopes of actor '" + first.name() + "' and of actor '"
                        + cell.name()
                        + "' have different clocks, so no time limit holds for both; leave out within");
            }
        }
    }
}
