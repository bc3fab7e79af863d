package io.fibry.cluster.home;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message that has come to the home of its key.
 *
 * @param from incarnation of the sender
 * @param epoch epoch of the sender's stream
 * @param number number in that stream, or of the letter if this node is the sender
 * @param group name of the group
 * @param slice slice of the key, or {@link Letter#NO_SLICE}
 * @param round round of the sender's route
 * @param ask number of the ask at the sender; 0 for a message without an answer
 * @param remaining nanoseconds for which the sender waits, or {@link Letter#NO_DEADLINE}
 * @param body the key and the message
 */
public record HomeDelivery(UUID from, long epoch, long number, String group, int slice, long round, long ask,
        long remaining, byte[] body) {
    /** Reads the bytes of a {@link Post.Message}; null if they are none. */
    static @Nullable HomeDelivery of(UUID from, long epoch, long number, byte[] bytes) {
        var in = ByteBuffer.wrap(bytes, 1, bytes.length - 1);
        try {
            return new HomeDelivery(from, epoch, number, Post.text(in),
                    in.getInt(), in.getLong(), in.getLong(), in.getLong(), Post.rest(in));
        } catch (BufferUnderflowException tooShort) {
            return null;
        }
    }
}
