package io.fibry.examples.orders;

/** Thrown if the shop has too much to do. A server answers with 503. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    RefusedException() {
        super("too many orders, come back later", null, false, false);
    }
}
