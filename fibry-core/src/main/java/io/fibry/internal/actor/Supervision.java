package io.fibry.internal.actor;

import io.fibry.event.Stopped;
import io.fibry.event.Stopped.Reason;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The relations of an actor to other actors and to failures, as the kernel sees them: its children, the
 * actors that it watches and those that watch it, and the pause before a restart. It is made when it is first
 * needed, see {@link Cell#supervision}.
 */
public abstract class Supervision {
    // ---- Children. ----

    /** Lists a child; returns false if the parent has begun to end. Called by the maker of the child. */
    public abstract boolean addChild(Cell child, Cell parent);

    public abstract void removeChild(Cell child);

    public abstract boolean hasChildren();

    /** Stops all children, the youngest first. Called on the parent's turn, which waits. */
    public abstract void stopChildren(Cell parent, @Nullable Reason reason);

    /** Returns how many children are listed. Called by any thread. */
    public abstract int childCount();

    /** Returns how often the actor was restarted. Called by any thread. */
    public abstract int restartCount();

    // ---- Watches and links. Called by the turn of the actor. ----

    public abstract void watch(Cell by, Cell over, Function<Stopped, Object> notice);

    /** Ends a watch; returns false if there was none. */
    public abstract boolean unwatch(Cell over);

    public abstract void unwatchAll();

    public abstract void link(Cell one, Cell other);

    public abstract void unlink(Cell one, Cell other);

    // ---- The end. ----

    /** Adds a watcher that is told of the end of the actor, at once if the actor has ended. Called by any thread. */
    public abstract void addWatcher(Watcher watcher, Cell cell);

    /** Removes a watcher, which then hears of no end. Called by any thread. */
    public abstract void removeWatcher(Watcher watcher);

    /** Reports that the failure of the actor is passed on, if it is. The actor has almost stopped. */
    public abstract void reportEscalation(Cell cell);

    /** Notifies the actors that watch this actor, or are linked to it, how it has ended. */
    public abstract void tell(Cell cell, Stopped how);

    // ---- Pauses. ----

    /**
     * Lets another turn go on after a time, or as soon as the actor is to end. The calling turn has left the
     * actor.
     */
    public abstract void pause(Cell cell, Turn rest, long nanos);

    /** Returns whether the actor pauses, and the timer that ends the pause is set. Called by any thread. */
    public abstract boolean isPausing();

    /** Ends the pause, if there is one. Called by any thread. */
    public abstract void endPause();

    /** A feature or actor that is told of the end of another actor. */
    public interface Watcher {
        /**
         * Called once, by the thread that has ended the actor, or by a thread that came too late to be told by
         * it.
         */
        void hear(Cell ended, Stopped how);
    }

    /**
     * The nodes that an actor leaves at its end, and that its successor takes over, if it has one. As an edge, it leads from
     * the actor that has ended to the actor that starts the successor: an asker whose message is left waits for that one.
     */
    public interface Inheritance extends Waiting {
        /** Adds a node that an actor has not handled. */
        void add(Cell dead, Node node);

        /** Passes all nodes to the successor. Its mailbox is busy, and no other thread knows it yet. */
        void passTo(Cell heir);
    }
}
