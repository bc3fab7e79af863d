package io.fibry.durable;

import io.fibry.event.Undelivered;
import io.fibry.message.Envelope;

/** A message about work that is in the store. Nothing is lost when its actor has stopped, so no report says so. */
interface StoreCall extends Envelope {
    @Override
    default Object content() {
        return this;
    }

    @Override
    default boolean isLossReported(Undelivered.Cause cause) {
        return false;
    }
}
