package io.fibry.codec;

import java.util.ArrayList;
import java.util.List;

/**
 * The limits of a codec, and how it reads what earlier releases wrote. Immutable; the methods return changed copies.
 *
 * @param largest how many bytes a value may take at most; 1 MiB unless set. Both directions keep to it, and longer bytes are
 *        refused before they are looked at
 * @param depth how many records, lists, sets and maps may be inside one another at most, from 1 to 512; 64 unless set
 * @param upcasters what reads old records; none unless set, and at most one of each type name
 */
public record CodecOptions(int largest, int depth, List<Upcaster> upcasters) {
    /** Checks the values. */
    public CodecOptions {
        if (largest < 1) {
            throw new IllegalArgumentException("largest must be at least 1, it is " + largest);
        }
        if (depth < 1 || depth > 512) {
            throw new IllegalArgumentException("depth must be from 1 to 512, it is " + depth);
        }
        upcasters = List.copyOf(upcasters);
    }

    /**
     * Values of 1 MiB and 64 levels at most, no upcasters.
     *
     * @return the options that {@link Codec#of(Class...)} uses
     */
    public static CodecOptions defaults() {
        return new CodecOptions(1 << 20, 64, List.of());
    }

    /**
     * Sets the largest size.
     *
     * @param bytes at least 1
     * @return a changed copy
     */
    public CodecOptions largest(int bytes) {
        return new CodecOptions(bytes, depth, upcasters);
    }

    /**
     * Sets the largest depth.
     *
     * @param levels from 1 to 512
     * @return a changed copy
     */
    public CodecOptions depth(int levels) {
        return new CodecOptions(largest, levels, upcasters);
    }

    /**
     * Adds an upcaster.
     *
     * @param upcaster for a type name that has none yet
     * @return a changed copy
     */
    public CodecOptions upcaster(Upcaster upcaster) {
        var all = new ArrayList<>(upcasters);
        all.add(upcaster);
        return new CodecOptions(largest, depth, all);
    }
}
