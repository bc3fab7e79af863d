package io.fibry.internal.keyed;

/**
 * A number of a key that is the same in each process: nodes of a cluster find the slice of a key by it, and stores keep
 * it, so that a node reads what is of its slices. It never changes, and is not {@code hashCode}, which may.
 */
public final class KeyHash {
    private KeyHash() {
    }

    /**
     * Returns the number of a key that is a text, or is written as one: numbers in decimal, and constants by their names.
     *
     * @param text the text
     * @return the number, not negative
     */
    public static int of(String text) {
        var hash = 0L;
        for (int i = 0; i < text.length(); i++) {
            hash = 31 * hash + text.charAt(i);
        }
        return mix(hash);
    }

    /**
     * Returns the number of a key that is bytes.
     *
     * @param bytes the bytes
     * @return the number, not negative
     */
    public static int of(byte[] bytes) {
        var hash = 0L;
        for (var each : bytes) {
            hash = 31 * hash + each;
        }
        return mix(hash);
    }

    /** Spreads the bits, as the finalizer of MurmurHash3 does. */
    private static int mix(long value) {
        var mixed = (value ^ value >>> 33) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
        return (int) ((mixed ^ mixed >>> 33) & Integer.MAX_VALUE);
    }
}
