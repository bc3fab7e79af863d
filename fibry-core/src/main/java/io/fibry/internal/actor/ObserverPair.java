package io.fibry.internal.actor;

import io.fibry.event.Undelivered.Cause;
import org.jspecify.annotations.Nullable;

/** Two features that observe one actor. */
record ObserverPair(MessageObserver first, MessageObserver second) implements MessageObserver {
    /** Returns the observer of a class among those that this one consists of; null if there is none. */
    static <T extends MessageObserver> @Nullable T find(@Nullable MessageObserver among, Class<T> type) {
        if (among instanceof ObserverPair pair) {
            var found = find(pair.first, type);
            return found != null ? found : find(pair.second, type);
        }
        return type.isInstance(among) ? type.cast(among) : null;
    }

    @Override
    public void begins(Turn turn, Object entry) {
        first.begins(turn, entry);
        second.begins(turn, entry);
    }

    @Override
    public void onEnd() {
        second.onEnd();
        first.onEnd();
    }

    @Override
    public void onLoss(Cause cause) {
        first.onLoss(cause);
        second.onLoss(cause);
    }

    @Override
    public void onRestart() {
        first.onRestart();
        second.onRestart();
    }

    @Override
    public void onAskTimeout() {
        first.onAskTimeout();
        second.onAskTimeout();
    }

    @Override
    public @Nullable MessageObserver afterEnd() {
        var left = first.afterEnd();
        var right = second.afterEnd();
        return left == null ? right : right == null ? left : new ObserverPair(left, right);
    }
}
