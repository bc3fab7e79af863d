package io.fibry.internal.scope;

import io.fibry.event.Started;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Current;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.OpeningNode;
import io.fibry.internal.actor.StandIn;
import io.fibry.internal.actor.Termination;
import io.fibry.internal.context.LogContext;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.watchdog.WatchedActor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The taking in of a new actor by its scope, step by step. The actor gets what it needs to run, then its parent lists it, then
 * it gets its name with what waited for that, then its scope lists it; then it is made, and may start.
 *
 * <p>Until then its mailbox is busy, with its first node or an {@link OpeningNode}, and no turn runs. Whoever finds the
 * actor before it is made can send to it and ask it to stop, but nobody can run or end it. So a step that fails is undone by
 * the maker alone, and who closes the scope, or ends the parent, just waits for that.
 */
final class Admission {
    private final Scope scope;
    private final Cell cell;
    /** So many of the actor's exit hooks are its maker's. */
    private final int ownHooks;

    Admission(Scope scope, Cell cell) {
        this.scope = scope;
        this.cell = cell;
        var companion = cell.extendedStateIfAny();
        ownHooks = companion == null ? 0 : companion.hookCount();
    }

    /** Takes the actor in and starts it, with its first node if it has one. */
    void run(@Nullable Node first) {
        requireMayBeMade();
        takeIn(first);
    }

    /** The same without a start: the caller starts it, with this node, when its time has come. */
    void runButStart(Node first) {
        requireMayBeMade();
        make(first);
    }

    /** As {@link #run}, also from outside while the scope waits for its last messages. */
    void takeIn(@Nullable Node first) {
        // mutant: actor-runs-before-it-is-made
        var opening = first != null || !canBeFound() ? first : new OpeningNode();
        make(opening);
        if (first == null) {
            becomesIdle(opening);
        } else {
            cell.start(first);
        }
    }

    private void becomesIdle(@Nullable Node opening) {
        var companion = cell.extendedStateIfAny();
        if (companion != null) {
            companion.beforeIdle();
        }
        if (opening != null && !cell.becomeIdle(opening)) {
            cell.start(opening); // somebody has found it
        }
    }

    private void requireMayBeMade() {
        var parent = cell.spec().parent();
        if (parent != null) {
            var standIn = StandIn.of(parent);
            if (standIn != null) {
                standIn.requireHeld();
            }
            if (parent.hasClosed()) {
                throw noMore(parent);
            }
        }
        if (!scope.takesIn()) {
            throw closed();
        }
    }

    private boolean canBeFound() {
        var actor = cell.spec();
        return scope.members() != null || actor.name() != null || actor.parent() != null
                || actor.quietNanos() != Long.MAX_VALUE;
    }

    /** Makes it, or undoes what was done. */
    private void make(@Nullable Node opening) {
        if (opening != null) {
            cell.begin(opening);
        }
        try {
            equip();
            Interleave.here();
            joinParent();
            takeName();
            list();
            beginLifecycle();
            var sampler = scope.sampler();
            if (sampler != null) {
                sampler.wakeForActor();
            }
        } catch (Throwable notMade) {
            Termination.ofUnmade(cell, opening, ownHooks);
            throw notMade;
        }
        if (scope.events().hasListeners()) {
            // A listener that waits for the actor, or closes its scope, waits for itself, and is told so.
            Current.runInside(cell, () -> scope.events().lifecycle(new Started(cell.name())));
        }
        Interleave.here();
    }

    private void equip() {
        var actor = cell.spec();
        if (actor.placement().executor() == null) {
            cell.extendedState().executor = Objects.requireNonNull(actor.strategy().executorFor(cell.name()),
                    () -> "the executor that strategy " + actor.strategy() + " gives actor '" + cell.name()
                            + "'");
        }
        if (scope.budget() != null || cell.behavior().gate() != null) {
            cell.extendedState().startCounting();
        }
        var named = LogContext.names(actor.namesInLog());
        if (scope.sampler() != null || named) {
            cell.extendedState().observer = new WatchedActor(named ? cell.name() : null);
        }
    }

    private void joinParent() {
        var parent = cell.spec().parent();
        if (parent == null) {
            return;
        }
        var family = parent.supervision();
        var standIn = StandIn.of(parent); // the thread that works for the parent, if that is the caller and may be abandoned
        boolean joined = standIn == null
                ? family.addChild(cell, parent)
                : standIn.inside(() -> family.addChild(cell, parent));
        if (!joined) {
            throw noMore(parent);
        }
    }

    private static IllegalStateException noMore(Cell parent) {
        return new IllegalStateException("actor '" + parent.name()
                + "' has begun to end: no child of it can be made; make an actor of its scope instead");
    }

    /** Gives the actor its name, and what waited for that: what its predecessor has left, then what was kept for the name. */
    private void takeName() {
        var name = cell.spec().name();
        var heritage = cell.spec().heritage();
        if (name == null) {
            return;
        }
        var taken = scope.nameTable().take(name, cell, kept -> {
            if (heritage != null) {
                heritage.passTo(cell);
            }
            // mutant: kept-messages-are-forgotten
            kept.forEach(cell::offerPastBound); // busy as it is, no turn is to be started
        });
        if (!taken) {
            throw new NameTakenException(scope, name);
        }
    }

    private void list() {
        var members = scope.members();
        if (members == null) {
            return;
        }
        var actor = cell.spec();
        members.add(cell, actor.name() != null || !actor.exitHooks().isEmpty()
                || actor.placement().executor() == null);
        if (scope.isClosing()) {
            cell.extendedState().drain();
        }
        Interleave.here();
        // mutant: actor-is-made-in-a-closed-scope
        if (scope.isClosed()) {
            throw closed();
        }
    }

    private void beginLifecycle() {
        var companion = cell.extendedStateIfAny();
        if (companion != null && companion.lifecycle != null) {
            companion.lifecycle.onMaking();
        }
    }

    private IllegalStateException closed() {
        return scope.closed("no actor can be made in it");
    }
}
