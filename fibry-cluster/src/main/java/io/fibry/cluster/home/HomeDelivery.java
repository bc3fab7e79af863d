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
 * @param deadline when the sender does not wait any more, by the clock in nanoseconds of this node; or {@link Letter#NO_DEADLINE}
 * @param body the key and the message
 */
public record HomeDelivery(UUID from, long epoch, long number, String group, int slice, long round, long ask,
        long deadline, byte[] body) {
    /** Reads the bytes of a {@link Post.Message} that come at a time; null if they are none. */
    static @Nullable HomeDelivery of(UUID from, long epoch, long number, byte[] bytes, long now) {
        var in = ByteBuffer.wrap(bytes, 1, bytes.length - 1);
        try {
            return new HomeDelivery(from, epoch, number, Post.text(in),
                    in.getInt(), in.getLong(), in.getLong(), deadline(in.getLong(), now), Post.rest(in));
        } catch (BufferUnderflowException tooShort) {
            return null;
        }
    }

    private static long deadline(long remaining, long now) {
        return remaining == Letter.NO_DEADLINE ? remaining : now + remaining;
    }
}
