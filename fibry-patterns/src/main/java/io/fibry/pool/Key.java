package io.fibry.pool;

import org.jspecify.annotations.Nullable;

/**
 * The key of a message. It has the hash code that the key had when it was made, and compares without throwing an
 * exception of the program, so that no map is left in the middle of a change. Keys that cannot be compared are different.
 */
final class Key {
    private final Object value;
    private final int hash;

    private Key(Object value, int hash) {
        this.value = value;
        this.hash = hash;
    }

    /** Throws what the {@code hashCode} of a value throws. */
    static void check(@Nullable Object value) {
        if (value != null) {
            of(value);
        }
    }

    /** Returns a key; throws what the {@code hashCode} of the value throws. */
    static Key of(Object value) {
        return new Key(value, value.hashCode());
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Key key && hash == key.hash && isSame(value, key.value);
    }

    private static boolean isSame(Object one, Object other) {
        if (one == other) {
            return true;
        }
        try {
            return one.equals(other);
        } catch (VirtualMachineError noRoom) {
            throw noRoom;
        } catch (Throwable failed) {
            return false;
        }
    }
}
