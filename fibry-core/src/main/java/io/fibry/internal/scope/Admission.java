package io.fibry.internal.scope;

import io.fibry.event.Started;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Current;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.StandIn;
import io.fibry.internal.actor.Supervision.Inheritance;
import io.fibry.internal.actor.Termination;
import io.fibry.internal.context.LogContext;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.signal.OpeningNode;
import io.fibry.internal.timer.IdleStop;
import io.fibry.internal.watchdog.WatchedActor;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The steps by which a scope admits a new actor. First the actor gets what it needs to run. Then its parent lists
 * it. Then the actor takes its name, together with the messages that were kept for this name. Then its scope lists
 * it. After these steps the actor is made, and it may start.
 *
 * <p>Until then the mailbox of the actor is busy with its first node or an {@link OpeningNode}, and no turn runs. A
 * thread that finds the actor before it is made can send to it and ask it to stop, but no thread can run it or end
 * it. So the maker alone undoes the steps if one of them fails. A thread that closes the scope, or ends the parent,
 * waits until the maker has done that.
 */
final class Admission {
    private final Scope scope;
    private final Cell cell;
    /** The number of the exit hooks that the actor had before its admission. Its maker added them. */
    private final int ownHooks;

    Admission(Scope scope, Cell cell) {
        this.scope = scope;
        this.cell = cell;
        var extended = cell.extendedStateIfAny();
        ownHooks = extended == null ? 0 : extended.hookCount();
    }

    /** Admits the actor and starts it with its first node, if there is one. */
    void run(@Nullable Node first) {
        requireMayBeMade();
        takeIn(first);
    }

    /** Admits the actor without a start. The caller starts the actor later, with the same node. */
    void runButStart(Node first) {
        requireMayBeMade();
        make(first);
    }

    /**
     * Admits the actor and starts it, as {@link #run} does. Threads outside the scope may call this method while the
     * scope is draining.
     */
    void takeIn(@Nullable Node first) {
        // mutant: actor-runs-before-it-is-made
        var opening = first != null || !canBeFound() ? first : new OpeningNode();
        make(opening);
        if (first == null) {
            makeIdle(opening);
        } else {
            cell.start(first);
        }
    }

    private void makeIdle(@Nullable Node opening) {
        var extended = cell.extendedStateIfAny();
        if (extended != null) {
            extended.beforeIdle();
        }
        if (opening != null && !cell.becomeIdle(opening)) {
            cell.start(opening); // another thread has found it and has sent to it
        }
    }

    private void requireMayBeMade() {
        var parent = cell.spec().parent();
        if (parent != null) {
            var standIn = StandIn.of(parent);
            if (standIn != null) {
                standIn.requireHeld();
            }
            if (parent.isStopping()) {
                throw noMore(parent);
            }
        }
        if (!scope.takesIn()) {
            throw closed();
        }
    }

    private boolean canBeFound() {
        var actor = cell.spec();
        return scope.members() != null || cell.givenName() != null || actor.parent() != null
                || actor.layer(IdleStop.After.class) != null;
    }

    /** Makes the actor, or undoes the steps that were done. */
    private void make(@Nullable Node opening) {
        if (opening != null) {
            cell.begin(opening);
        }
        try {
            equip();
            assert Interleave.here();
            joinParent();
            takeName();
            list();
            var watchdog = scope.sampler();
            if (watchdog != null) {
                watchdog.wakeForActor();
            }
            beginLifecycle(); // last: from here on an actor of a key is found by its key
        } catch (Throwable notMade) {
            Termination.ofUnmade(cell, opening, ownHooks);
            throw notMade;
        }
        if (scope.events().hasListeners()) {
            // A listener that waits for the actor, or closes its scope, would wait for itself. As code inside the
            // actor it gets an exception instead.
            Current.runInside(cell, new StartNotice(scope, cell));
        }
        assert Interleave.here();
    }

    private record StartNotice(Scope scope, Cell cell) implements Runnable {
        @Override
        public void run() {
            scope.events().lifecycle(new Started(cell.name()));
        }
    }

    /** Gives an actor what was left for it, and what was kept for its name. */
    private record Delivery(Cell cell,
            @Nullable Inheritance inherited) implements Consumer<List<MessageNode>> {
        @Override
        public void accept(List<MessageNode> kept) {
            if (inherited != null) {
                inherited.passTo(cell);
            }
            // mutant: kept-messages-are-forgotten
            for (var message : kept) {
                cell.offerPastBound(message); // the mailbox is busy: these sends start no turn
            }
        }
    }

    private void equip() {
        var actor = cell.spec();
        if (actor.placement().executor() == null) {
            var executor = actor.strategy().executorFor(cell.name());
            if (executor == null) {
                throw new NullPointerException(
                        "the executor that strategy " + actor.strategy() + " gives actor '"
                                + cell.name() + "'");
            }
            cell.extendedState().executor = executor;
        }
        if (scope.budget() != null) {
            cell.extendedState().startCounting();
        }
        var named = LogContext.names(actor.namesInLog());
        if (scope.sampler() != null || named) {
            cell.extendedState().add(new WatchedActor(named ? cell.name() : null));
        }
        var observer = scope.wiring().observer(cell);
        if (observer != null) {
            cell.extendedState().add(observer);
        }
        scope.measures.observe(cell);
    }

    private void joinParent() {
        var parent = cell.spec().parent();
        if (parent == null) {
            return;
        }
        var family = parent.supervision();
        var standIn = StandIn.of(parent); // the calling thread, if it is a stand-in thread of the parent
        if (standIn != null) {
            standIn.beginInside();
        }
        var joined = false;
        try {
            joined = family.addChild(cell, parent);
        } finally {
            if (standIn != null) {
                standIn.endInside();
            }
        }
        if (!joined) {
            throw noMore(parent);
        }
    }

    private static IllegalStateException noMore(Cell parent) {
        return new IllegalStateException("actor '" + parent.name()
                + "' has begun to end: no child of it can be made; make an actor of its scope instead");
    }

    /**
     * Gives the actor its name, and the messages that waited for an actor of this name: first those that its
     * predecessor has left, then those that were kept for the name.
     */
    private void takeName() {
        var name = cell.givenName();
        var inherited = cell.spec().inheritance();
        if (name == null) {
            return;
        }
        var taken = scope.nameTable().take(name, cell, new Delivery(cell, inherited));
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
        members.add(cell, cell.givenName() != null || !actor.exitHooks().isEmpty()
                || actor.placement().executor() == null);
        if (scope.isClosing()) {
            cell.extendedState().drain();
        }
        assert Interleave.here();
        // mutant: actor-is-made-in-a-closed-scope
        if (scope.isClosed()) {
            throw closed();
        }
    }

    private void beginLifecycle() {
        var extended = cell.extendedStateIfAny();
        if (extended != null) {
            for (var each : extended.features()) {
                each.making();
            }
        }
    }

    private IllegalStateException closed() {
        return scope.closed(cell.givenName() == null ? "no actor can be made in it"
                : "actor '" + cell.givenName() + "' cannot be made in it");
    }
}
