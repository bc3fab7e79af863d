package io.fibry.testing;

/** Throws checked exceptions where none may be thrown, as other languages and some libraries do. */
public final class Sneaky {
    private Sneaky() {
    }

    /** Never returns; the result is for {@code throw Sneaky.thrown(..)}. */
    @SuppressWarnings("unchecked")
    public static <T extends Throwable> RuntimeException thrown(Throwable failure) throws T {
        throw (T) failure;
    }
}
