package io.fibry.internal.actor;

import org.jspecify.annotations.Nullable;

/**
 * Puts into other words what asks of the actors of a scope fail with. A cluster does so: its asks fail alike on all nodes, also on the
 * one that has the actor.
 *
 * <p>Called by the thread that completes an answer, before it does. Objects are thread-safe.
 */
public interface AskFailures {
    /**
     * Returns what an ask fails with whose handler has thrown an exception, or has failed the reply that it had deferred.
     *
     * @param thrown the exception
     * @return the failure of the ask
     */
    Throwable thrown(Throwable thrown);

    /**
     * Returns what an ask fails with that no handler has got.
     *
     * @param why the reason
     * @return the failure of the ask
     */
    Throwable lost(Throwable why);

    /** Returns the words of a scope for what a handler has thrown. */
    static Throwable thrown(Host scope, Throwable thrown) {
        var words = scope.askFailures();
        return words == null ? thrown : said(words, thrown, false);
    }

    /** Returns the words of a scope for why no handler has got a message. */
    static Throwable lost(Host scope, Throwable why) {
        var words = scope.askFailures();
        return words == null ? why : said(words, why, true);
    }

    /** The answer must be completed, so what fails here leaves the failure as it is. */
    private static Throwable said(AskFailures words, Throwable failure, boolean isLost) {
        @Nullable Throwable said = null;
        try {
            said = isLost ? words.lost(failure) : words.thrown(failure);
        } catch (Throwable broken) {
            failure.addSuppressed(broken);
        }
        return said == null ? failure : said;
    }
}
