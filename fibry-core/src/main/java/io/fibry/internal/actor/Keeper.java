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
    /** Returns the keeper of an actor whose behavior has returned {@link Unfinished#KEPT}. */
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

    /** Lets those messages be handled now that wait for something other than a further message. */
    default void finish() {
    }

    /**
     * Lets these messages be handled before this node, which ends the actor after all messages. Returns false if there
     * are none; otherwise the node is in front of the mailbox, behind them.
     */
    default boolean finishBefore(Node stop) {
        return false;
    }

    /** Returns whether messages are held that will be handled without a further message. Called by any thread. */
    default boolean isWork() {
        return false;
    }

    /** Returns whether the actor has to end on its turn, even if it is idle. Called by any thread. */
    default boolean needsTurn() {
        return false;
    }

    /** Returns the beginning of a text that says where a message is that is held. Called by any thread. */
    String place();

    /** Gives up all nodes, oldest first, since the actor ends. Called by the thread that ends the actor. */
    void leave(Consumer<Node> leftOver);

    /** Returns how many messages are held. Called by any thread. */
    int size();
}
