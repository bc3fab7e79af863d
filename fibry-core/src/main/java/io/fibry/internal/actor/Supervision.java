package io.fibry.internal.actor;

import io.fibry.event.Stopped;
import io.fibry.event.Stopped.Reason;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What an actor has to do with failures, its own and those of others, as the kernel sees it: its children, what it watches
 * and is watched by, and the pause before a restart. It is made when it is first needed, see {@link Cell#supervision}.
 */
public abstract class Supervision {
    // ---- Children. ----

    /** Lists a child; false if the parent has begun to end. Called by the maker of the child. */
    public abstract boolean addChild(Cell child, Cell parent);

    public abstract void removeChild(Cell child);

    public abstract boolean hasChildren();

    /** Stops all children, the youngest first. Called on the parent's turn, which waits. */
    public abstract void stopChildren(Cell parent, @Nullable Reason reason);

    // ---- Watches and links. Called by the turn of the actor. ----

    public abstract void watch(Cell by, Cell over, Function<Stopped, Object> notice);

    /** Ends a watch; false if there was none. */
    public abstract boolean unwatch(Cell over);

    public abstract void unwatchAll();

    public abstract void link(Cell one, Cell other);

    public abstract void unlink(Cell one, Cell other);

    // ---- The end. ----

    /** Reports that the failure of the actor is passed on, if it is. The actor is as good as stopped. */
    public abstract void reportEscalation(Cell cell);

    /** Tells those who watch the actor, or are linked to it, how it has ended. */
    public abstract void tell(Cell cell, Stopped how);

    // ---- Pauses. ----

    /** Has another turn go on after a while, or as soon as the actor is to end. The calling turn has left the actor. */
    public abstract void pause(Cell cell, Turn rest, long nanos);

    /** Tells whether the actor pauses, and the timer that ends the pause is set. Called by any thread. */
    public abstract boolean isPausing();

    /** Ends the pause, if there is one. Called by any thread. */
    public abstract void endPause();
}
