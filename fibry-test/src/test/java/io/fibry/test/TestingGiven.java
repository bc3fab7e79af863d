package io.fibry.test;

/** What the blocks of {@code docs/testing.md} take for granted: nothing. */
public final class TestingGiven {
    private TestingGiven() {
    }
}
