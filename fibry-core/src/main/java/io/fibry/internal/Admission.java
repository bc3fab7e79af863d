package io.fibry.internal;

import io.fibry.ActorExecutor;
import io.fibry.HandlerAbandonedException;
import io.fibry.event.Started;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The taking in of a new actor by its scope, step by step. The actor gets what it needs to run, then its name, then it
 * is listed; only then it may start. One that comes too late for a scope that is being closed, or for a parent that
 * ends, is ended like any other: whoever closes may have seen it already.
 */
record Admission(Scope scope, Cell cell) {
    /** Takes the actor in and starts it, with its first node if it has one. */
    void run(@Nullable Node first) {
        var hand = handOfParent();
        if (hand != null) {
            hand.requireHeld();
        }
        if (!scope.takesIn()) {
            throw scope.closed("no actor can be made in it");
        }
        takeIn(first);
    }

    /** The same, also from outside while the scope waits for its last messages. */
    void takeIn(@Nullable Node first) {
        equip();
        if (first != null) {
            cell.begin(first);
        }
        var starts = first;
        var heritage = cell.spec().heritage();
        if (heritage != null) {
            starts = heritage.passTo(cell, starts);
        }
        var name = cell.spec().name();
        if (name != null) {
            starts = takeName(name, starts);
        }
        list(starts);
        joinParent(starts);
        var sampler = scope.sampler();
        if (sampler != null) {
            sampler.watches();
        }
        if (scope.events().hasListeners()) {
            scope.events().lifecycle(new Started(cell.name()));
        }
        start(starts);
    }

    private void equip() {
        var actor = cell.spec();
        if (actor.placement().executor() == null) {
            cell.companion().executor = Objects.requireNonNull(actor.strategy().executorFor(cell.name()),
                    () -> "the executor that strategy " + actor.strategy() + " gives actor '" + cell.name()
                            + "'");
        }
        if (scope.budget() != null || cell.behavior.gate() != null) {
            cell.companion().counts();
        }
        var named = LogContext.names(actor);
        if (scope.sampler() != null || named) {
            cell.companion().watched = new Watched(named ? cell.name() : null);
        }
    }

    /** Gives the actor its name and what was kept for it; the node its first turn starts with, if any. */
    private @Nullable Node takeName(String name, @Nullable Node before) {
        var starts = new Node[]{before};
        var taken = scope.nameTable().take(name, cell, node -> {
            if (cell.offerPastBound(node) == Cell.Offer.WAKE) {
                starts[0] = node;
            }
        });
        if (!taken) {
            giveUp();
            throw new NameTakenException(scope, name);
        }
        return starts[0];
    }

    /** Undoes the making of an actor that nobody has seen. */
    private void giveUp() {
        scope.forget(cell);
        if (cell.companion().executor instanceof ActorExecutor own) {
            Termination.runHook(cell, own::actorStopped);
        }
    }

    private void list(@Nullable Node starts) {
        var members = scope.members();
        if (members == null) {
            return;
        }
        var actor = cell.spec();
        members.add(cell, actor.name() != null || !actor.exitHooks().isEmpty()
                || actor.placement().executor() == null);
        if (scope.isClosing()) {
            cell.companion().drains();
        }
        Interleave.here();
        if (scope.isClosed()) {
            comesTooLate(starts);
            throw scope.closed("no actor can be made in it");
        }
    }

    private void joinParent(@Nullable Node starts) {
        var parent = cell.spec().parent();
        if (parent == null) {
            return;
        }
        var children = parent.companion().supervision().children();
        var hand = handOfParent();
        boolean joined;
        try {
            joined = hand == null ? children.add(cell) : hand.inside(() -> children.add(cell));
        } catch (HandlerAbandonedException e) {
            comesTooLate(starts);
            throw e;
        }
        if (!joined) {
            comesTooLate(starts);
            throw new IllegalStateException(
                    "actor '" + parent.name() + "' has begun to end: no child of it can be made");
        }
    }

    /** The thread that works for the parent, if that is the caller and may be abandoned. */
    private @Nullable Hand handOfParent() {
        var parent = cell.spec().parent();
        return parent == null ? null : Hand.of(parent);
    }

    private void comesTooLate(@Nullable Node starts) {
        cell.askExit();
        start(starts);
    }

    private void start(@Nullable Node starts) {
        if (starts != null) {
            cell.start(starts);
        }
    }
}
