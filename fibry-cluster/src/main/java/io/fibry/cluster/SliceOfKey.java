package io.fibry.cluster;

import java.util.UUID;
import java.util.function.Function;

/** The slice of a key: the same in each process, so not from {@code hashCode}, which may differ. */
final class SliceOfKey {
    private final int slices;
    private final Function<Object, byte[]> bytesOf;

    SliceOfKey(int slices, Function<Object, byte[]> bytesOf) {
        this.slices = slices;
        this.bytesOf = bytesOf;
    }

    int of(Object key) {
        return Math.floorMod(hash(key), slices);
    }

    private long hash(Object key) {
        return switch (key) {
            case Long number -> mix(number);
            case Integer number -> mix(number);
            case UUID uuid -> mix(mix(uuid.getMostSignificantBits()) ^ uuid.getLeastSignificantBits());
            case String text -> {
                var hash = 0L;
                for (int i = 0; i < text.length(); i++) {
                    hash = 31 * hash + text.charAt(i);
                }
                yield mix(hash);
            }
            case Enum<?> constant -> hash(constant.name());
            default -> {
                var hash = 0L;
                for (var each : bytesOf.apply(key)) {
                    hash = 31 * hash + each;
                }
                yield mix(hash);
            }
        };
    }

    /** Spreads the bits, as the finalizer of MurmurHash3 does. */
    private static long mix(long value) {
        var mixed = (value ^ value >>> 33) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ mixed >>> 33;
    }
}
