package io.fibry.examples.market;

/** The states of an order. */
enum OrderState {
    NEW, ACCEPTED, PARTLY_FILLED, FILLED, CANCELLED, EXPIRED;

    boolean isOpen() {
        return this == NEW || this == ACCEPTED || this == PARTLY_FILLED;
    }
}
