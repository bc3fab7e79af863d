package io.fibry.internal.actor;

/**
 * Stands in an {@link Answer} for a message that no handler gets.
 *
 * @param cell the actor in whose mailbox it was
 */
record LostMessage(Cell cell) implements Placed {
}
