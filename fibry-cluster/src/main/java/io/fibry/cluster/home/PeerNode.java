package io.fibry.cluster.home;

import io.fibry.cluster.stream.Inbound;
import io.fibry.cluster.stream.Outbound;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** The streams from and to another node. */
final class PeerNode {
    final UUID node;
    final Outbound<Post> out = new Outbound<>(1);
    final Inbound in = new Inbound();
    /** The last round of each slice of which a message was returned to the peer: of these rounds no message is taken any more. */
    private final Map<String, Long> closedRounds = new HashMap<>();

    PeerNode(UUID node) {
        this.node = node;
    }

    /** Whether the messages of a round are still taken. */
    boolean takes(String slice, long round) {
        return round > closedRounds.getOrDefault(slice, 0L);
    }

    /** Ends a round: all its messages that have not been taken are returned. */
    void closeRound(String slice, long round) {
        closedRounds.merge(slice, round, Math::max);
    }

    /** Forgets the stream from the peer, since there is a newer one. */
    void forgetRounds() {
        closedRounds.clear();
    }
}
