package io.fibry.internal.actor;

import java.util.function.Consumer;

/**
 * Holds the messages that an actor has taken from its mailbox and put aside, in their order. The turn calls all methods
 * that name no other caller.
 *
 * <p>A message that is held is not counted as handled. For the numbers of the mailbox its node is finished, like the
 * node of a timer that was cancelled; when the message goes back to the front of the mailbox, its node is not finished
 * any more. So {@link Cell#finishedSoFar} never counts a message twice.
 */
public interface Keeper {
    /** Returns the keeper of an actor whose behaviour has returned {@link Unfinished#KEPT}. */
    static Keeper of(Turn turn) {
        var keeper = turn.extendedState().keeper;
        if (keeper == null) {
            throw new AssertionError(
                    "actor '" + turn.cell.name() + "' has put a message aside and has no place for it");
        }
        return keeper;
    }

    /** Takes a node, which no other object refers to. */
    void keep(Turn turn, Node node);

    /** Called before the handler is replaced, since the actor is restarted. */
    void beforeRestart();

    /** Gives up all nodes, oldest first, since the actor ends. Called by the thread that ends the actor. */
    void leave(Consumer<Node> leftOver);

    /** Returns how many messages are held. Called by any thread. */
    int size();
}
