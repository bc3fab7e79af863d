package io.fibry.internal.clock;

import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/** The source of randomness of scopes that do not configure one. */
public final class SystemRandom implements RandomGenerator {
    public static final SystemRandom INSTANCE = new SystemRandom();

    private SystemRandom() {
    }

    @Override
    public long nextLong() {
        return ThreadLocalRandom.current().nextLong();
    }
}
