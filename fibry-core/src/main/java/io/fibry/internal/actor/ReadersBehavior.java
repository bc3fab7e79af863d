package io.fibry.internal.actor;

import org.jspecify.annotations.Nullable;

/**
 * The behavior of an actor with readers. The turn makes what a message needs before it starts a reader for it. If that
 * fails, the turn handles the message, which fails with what was thrown: nothing is made a second time for it.
 */
final class ReadersBehavior extends SurroundingBehavior {
    // Accessed by the turn only.
    /** What kept the turn from starting a reader; null if nothing did. */
    private @Nullable Throwable failure;
    /** The message that fails with it. */
    private @Nullable Object failing;

    ReadersBehavior(Behavior inner) {
        super(inner);
    }

    /** Makes what a message needs; returns false if that fails. Called by the turn. */
    boolean isReady(Turn turn, Object message) {
        failure = null;
        failing = null;
        try {
            inner.ready(turn);
            return true;
        } catch (Throwable thrown) {
            failure = thrown;
            failing = message;
            return false;
        }
    }

    @Override
    public @Nullable Object handle(Turn turn, Object message) throws Exception {
        if (!turn.isGuest()) {
            throwFailureOf(message);
        }
        return inner.handle(turn, message);
    }

    private void throwFailureOf(Object message) {
        var thrown = failure;
        var isMine = message == failing;
        failure = null;
        failing = null;
        if (thrown != null && isMine) {
            throw ReadersBehavior.<RuntimeException>asItIs(thrown);
        }
    }

    /** Throws a throwable without wrapping it, since factories may throw what they have not declared. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> RuntimeException asItIs(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
