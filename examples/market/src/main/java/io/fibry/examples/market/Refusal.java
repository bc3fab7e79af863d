package io.fibry.examples.market;

/** Thrown if the market does not do what was asked for. The message is for the user. */
final class Refusal extends Exception {
    private static final long serialVersionUID = 1;

    Refusal(String message) {
        super(message);
    }
}
