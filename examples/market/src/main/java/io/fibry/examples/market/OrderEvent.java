package io.fibry.examples.market;

/** What happens to an order. */
sealed interface OrderEvent {
    /** The order is in the book. */
    record Accepted() implements OrderEvent {
    }

    /** Some of the order, or all of it, has been traded. */
    record Filled(int quantity, int price) implements OrderEvent {
    }

    /** The trader wants it cancelled. Until the book has agreed, it may still be filled. */
    record Cancel() implements OrderEvent {
    }

    /** The order is out of the book, because it is cancelled or expired. */
    record Withdrawn(OrderState end) implements OrderEvent {
    }
}
