package io.fibry.dump;

import java.util.Objects;

/**
 * The actors of one scope with the same class of handler, added up.
 *
 * @param handler the class of the handler
 * @param actors how many actors there are
 * @param idle how many of them have nothing to do
 * @param busy how many of them have messages, or work on one
 * @param waiting how many messages wait in their mailboxes
 * @param most how many messages wait in the mailbox with most of them
 * @param handled how many messages they have handled
 * @param failed on how many messages they have failed
 */
public record HandlerTotals(String handler, long actors, long idle, long busy, long waiting, long most,
        long handled,
        long failed) {
    /**
     * Checks the class.
     *
     * @param handler the class of the handler
     * @param actors how many actors there are
     * @param idle how many have nothing to do
     * @param busy how many have something to do
     * @param waiting how many messages wait
     * @param most how many messages wait in one mailbox at most
     * @param handled how many messages were handled
     * @param failed on how many messages they have failed
     */
    public HandlerTotals {
        Objects.requireNonNull(handler, "handler");
    }
}
