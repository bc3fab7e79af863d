package io.fibry;

/**
 * The numbers of messages that were offered to an actor, or to all actors of a scope, by their fates. Each message is
 * in one count only. Code that is given to {@code execute} and the {@code exec} methods counts as a message. The
 * numbers are exact while the actors are at rest, and may lag behind while messages are being handled.
 *
 * @param handled the handler returned
 * @param failed the handler threw
 * @param expired the ask was cancelled or timed out before its turn came; or, of an actor that was built with
 *        {@code interruptOnCancel()}, while its handler ran, which was interrupted for that and threw because of it. A
 *        handler that returns all the same is counted as handled
 * @param dropped a bounded mailbox dropped it by its policy
 * @param refused not accepted: the actor had stopped, or its mailbox was full
 * @param undelivered accepted, but the actor stopped (or could not be run) first
 */
public record Counters(long handled, long failed, long expired, long dropped, long refused,
        long undelivered) {
    /**
     * Returns the sum of all counts.
     *
     * @return how many messages were offered and have met their fate
     */
    public long total() {
        return handled + failed + expired + dropped + refused + undelivered;
    }
}
