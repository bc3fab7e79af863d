package io.fibry.cluster;

import io.fibry.cluster.home.Letter;
import io.fibry.internal.keyed.KeyHash;
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
        return slices == 0 ? Letter.NO_SLICE : hash(key) % slices;
    }

    int slices() {
        return slices;
    }

    private int hash(Object key) {
        return switch (key) {
            case String text -> KeyHash.of(text);
            case Long number -> KeyHash.of(number.toString());
            case Integer number -> KeyHash.of(number.toString());
            case UUID uuid -> KeyHash.of(uuid.toString());
            case Enum<?> constant -> KeyHash.of(constant.name());
            default -> KeyHash.of(bytesOf.apply(key));
        };
    }
}
