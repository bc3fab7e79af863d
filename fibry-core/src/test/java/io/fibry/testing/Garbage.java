package io.fibry.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.Reference;
import java.util.Collection;
import java.util.List;

/** Asks the collector. */
public final class Garbage {
    private static final int ATTEMPTS = 20;

    private Garbage() {
    }

    public static void isEachOf(Collection<? extends Reference<?>> references) {
        assertThat(left(references)).as("still reachable of %d", references.size()).isZero();
    }

    public static void is(Reference<?> reference) {
        isEachOf(List.of(reference));
    }

    private static long left(Collection<? extends Reference<?>> references) {
        long left = references.size();
        for (int i = 0; i < ATTEMPTS && left > 0; i++) {
            System.gc();
            left = references.stream().filter(reference -> !reference.refersTo(null)).count();
        }
        return left;
    }
}
