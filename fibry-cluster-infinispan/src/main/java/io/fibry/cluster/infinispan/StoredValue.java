package io.fibry.cluster.infinispan;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What an entry is, and when it became that. Of two values of an entry the newer one can be told, also if they were written in parts of the cluster
 * that did not see each other. A removed entry leaves a mark, until all members have it. It is immutable; callers do not change the bytes.
 *
 * @param epoch the epoch of the settled view in which the change began
 * @param number rises with each change of the entry, also if it was removed in between
 * @param isThere false for the mark of a removed entry
 * @param bytes the value; of a mark, bytes that no other mark has
 */
record StoredValue(long epoch, long number, boolean isThere, byte[] bytes) {
    private static final int PREFIX = 8 + 8 + 1;

    /**
     * Returns what a change makes of an entry.
     *
     * @param value the new value; null is a removal
     */
    static StoredValue of(long number, long epoch, byte @Nullable [] value) {
        if (value != null) {
            return new StoredValue(epoch, number, true, value.clone());
        }
        var mark = UUID.randomUUID();
        return new StoredValue(epoch, number, false, ByteBuffer.allocate(16)
                .putLong(mark.getMostSignificantBits()).putLong(mark.getLeastSignificantBits()).array());
    }

    /** Returns the same in a later epoch, so that it is newer than all that was made of it or beside it before. */
    StoredValue renewed(long later) {
        return new StoredValue(Math.max(epoch, later), number + 1, isThere, bytes);
    }

    static StoredValue of(byte[] stored) {
        var in = ByteBuffer.wrap(stored);
        return new StoredValue(in.getLong(), in.getLong(), in.get() != 0,
                Arrays.copyOfRange(stored, PREFIX, stored.length));
    }

    byte[] stored() {
        return ByteBuffer.allocate(PREFIX + bytes.length).putLong(epoch).putLong(number)
                .put((byte) (isThere ? 1 : 0)).put(bytes).array();
    }

    /** Returns the value, if the entry is there. Callers do not change the bytes. */
    Optional<byte[]> value() {
        return isThere ? Optional.of(bytes) : Optional.empty();
    }

    boolean isNewerThan(StoredValue other) {
        return epoch != other.epoch ? epoch > other.epoch : number > other.number;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof StoredValue value && epoch == value.epoch && number == value.number
                && isThere == value.isThere && Arrays.equals(bytes, value.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes) * 31 + Long.hashCode(epoch * 31 + number);
    }

    @Override
    public String toString() {
        return "StoredValue[epoch=" + epoch + ", number=" + number + ", isThere=" + isThere + ", "
                + bytes.length
                + " bytes]";
    }
}
