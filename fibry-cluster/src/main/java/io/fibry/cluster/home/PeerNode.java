package io.fibry.cluster.home;

import io.fibry.cluster.stream.FrameCodec;
import io.fibry.cluster.stream.Inbound;
import io.fibry.cluster.stream.Outbound;
import io.fibry.cluster.stream.StreamFrame;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The streams from and to another node, which this node sees, or has lost. */
final class PeerNode {
    private final ClusterMember member;
    final UUID node;
    final Outbound<Post> out;
    final Inbound in = new Inbound();
    /** The last round of each slice of which a message was returned to the peer: of these rounds no message is taken any more. */
    private final Map<String, Long> closedRounds = new HashMap<>();

    PeerNode(ClusterMember member, UUID node, long epoch) {
        this.member = member;
        this.node = node;
        out = new Outbound<>(epoch);
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

    /** Transmits all items that are due. */
    void pump() {
        for (var frame = next(); frame != null; frame = next()) {
            var verdicts = in.owed();
            if (verdicts == null) {
                transmit(frame);
            } else {
                transmit(verdicts, frame);
            }
        }
        if (in.owesMany()) {
            transmitVerdicts();
        }
    }

    /** Transmits again what has waited too long for its verdict, and the verdicts that are owed. */
    void tick() {
        out.repeat(member.now());
        pump();
        transmitVerdicts();
    }

    /** Returns the next frame; null if none is there or wanted. Items that come while frames are sent share the next one. */
    private StreamFrame.@Nullable Items next() {
        if (!out.hasNext() || !member.surroundings.isFree(node)) {
            return null;
        }
        return out.next(member.now(), post -> post.encode(member.now()));
    }

    private void transmitVerdicts() {
        var verdicts = in.owed();
        if (verdicts != null) {
            transmit(verdicts);
        }
    }

    void transmit(StreamFrame... frames) {
        member.surroundings.transmit(node, FrameCodec.encode(frames));
    }
}
