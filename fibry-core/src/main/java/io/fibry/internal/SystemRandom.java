package io.fibry.internal;

import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/** The randomness of scopes that say nothing else. */
final class SystemRandom implements RandomGenerator {
    static final SystemRandom INSTANCE = new SystemRandom();

    private SystemRandom() {
    }

    @Override
    public long nextLong() {
        return ThreadLocalRandom.current().nextLong();
    }
}
