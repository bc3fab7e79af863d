package io.fibry.internal.clock;

import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/** The randomness of scopes that say nothing else. */
public final class SystemRandom implements RandomGenerator {
    public static final SystemRandom INSTANCE = new SystemRandom();

    private SystemRandom() {
    }

    @Override
    public long nextLong() {
        return ThreadLocalRandom.current().nextLong();
    }
}
