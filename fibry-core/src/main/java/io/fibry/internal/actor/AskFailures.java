package io.fibry.internal.actor;

import org.jspecify.annotations.Nullable;

/**
 * Replaces the exceptions with which asks of some actors fail. A cluster does so for its keyed actors: an ask then fails alike
 * on all nodes, also on the one that has the actor. Only messages are concerned, not code that an actor is given to run.
 *
 * <p>Called by the thread that completes an answer, before it does. Objects are thread-safe.
 */
public interface AskFailures {
    /**
     * Returns the failure of an ask whose handler has thrown an exception, or has failed the reply that it had deferred.
     *
     * @param thrown the exception
     * @return the failure of the ask
     */
    Throwable thrown(Throwable thrown);

    /**
     * Returns the failure of an ask whose message has come to no handler.
     *
     * @param why the reason
     * @return the failure of the ask
     */
    Throwable lost(Throwable why);

    /** The words for the actors of a scope that have one specification. */
    record OfActors(ActorSpec spec, AskFailures words) {
    }

    /** Returns the failure of an ask whose handler has thrown an exception. */
    static Throwable thrown(Cell cell, Answer<?> answer, Throwable thrown) {
        var words = cell.spec.scope.askFailures(cell.spec);
        var message = answer.node();
        return words == null || (message != null && message.code() != null) ? thrown
                : said(words, thrown, false);
    }

    /** Returns the failure of an ask that no handler has got. */
    static Throwable lost(Cell cell, AskNode message, Throwable why) {
        return message.code() != null ? why : lostInWords(cell.spec.scope.askFailures(cell.spec), why);
    }

    static Throwable lostInWords(@Nullable AskFailures words, Throwable why) {
        return words == null ? why : said(words, why, true);
    }

    /** The answer must be completed. So if the words cannot be found, the ask fails with the exception itself. */
    private static Throwable said(AskFailures words, Throwable failure, boolean isLost) {
        try {
            return isLost ? words.lost(failure) : words.thrown(failure);
        } catch (Throwable broken) {
            if (broken != failure) {
                failure.addSuppressed(broken);
            }
            return failure;
        }
    }
}
