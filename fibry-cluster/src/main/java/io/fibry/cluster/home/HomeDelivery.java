package io.fibry.cluster.home;

import java.util.UUID;

/**
 * A message that has come to the home of its key.
 *
 * @param from incarnation of the sender
 * @param epoch epoch of the sender's stream
 * @param number number in that stream, or of the letter if this node is the sender
 * @param group name of the group
 * @param slice slice of the key, or {@link Letter#NO_SLICE}
 * @param ask number of the ask at the sender; 0 for a message without an answer
 * @param remaining nanoseconds for which the sender waits, or {@link Letter#NO_DEADLINE}
 * @param body the key and the message
 */
public record HomeDelivery(UUID from, long epoch, long number, String group, int slice, long ask,
        long remaining, byte[] body) {
}
