package io.fibry.cluster;

/**
 * Marks a message that may be handled twice without harm, such as a question, or "set this to that". An ask of such a message is repeated
 * when the node that had it is lost before it answers, until it is answered or its time is over. All other messages are handled once at
 * most: if it is not known whether one was handled, its asker gets an {@link UncertainException} and decides.
 *
 * <pre>{@code
 * record Look(long account) implements Command, Repeatable {
 * }
 * }</pre>
 *
 * <p>Only asks are repeated, by {@code sendMessageReturn} and {@code ask}; a told message is not, since its sender
 * does not wait. A repetition keeps its place among the messages of its sender with its key: at the new home it comes
 * before all later ones. A later message may have been handled by the node that was lost.
 *
 * <p>If the asker's own node is cut off, nothing is repeated, and the ask fails at once. Nor is an ask repeated
 * whose handler has deferred its reply and had to end because its key moves: it fails, as all open deferred replies then do.
 */
public interface Repeatable {
}
