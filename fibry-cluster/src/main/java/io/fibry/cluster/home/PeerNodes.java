package io.fibry.cluster.home;

import io.fibry.cluster.stream.FrameCodec;
import io.fibry.cluster.stream.StreamFrame;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The streams between this node and all others. Frames go to those alone that this node sees. */
final class PeerNodes {
    private final ClusterMember member;
    /** All nodes that were ever seen and have not left: one that was lost may come back, so the epochs of its retired streams are kept. */
    private final Map<UUID, PeerNode> peers = new LinkedHashMap<>();

    PeerNodes(ClusterMember member) {
        this.member = member;
    }

    /** Returns all nodes that were ever seen and have not left. */
    Collection<PeerNode> all() {
        return peers.values();
    }

    PeerNode of(UUID node) {
        return peers.computeIfAbsent(node, PeerNode::new);
    }

    /** Forgets nodes that have said goodbye, which do not come back. */
    void forget(Set<UUID> left) {
        peers.keySet().removeAll(left);
    }

    /** Adds an item to the stream to a node. */
    void post(UUID to, Post post) {
        of(to).out.add(post);
    }

    /** Transmits all items that are due. */
    void pump() {
        for (var peer : peers.values()) {
            if (member.sees(peer.node)) {
                pump(peer);
            }
        }
    }

    /** Transmits again what has waited too long for its verdict, and the verdicts that are owed. */
    void tick() {
        for (var peer : peers.values()) {
            if (member.sees(peer.node)) {
                peer.out.repeat(member.now());
                pump(peer);
                transmitVerdicts(peer);
            }
        }
    }

    private void pump(PeerNode peer) {
        for (var frame = next(peer); frame != null; frame = next(peer)) {
            var verdicts = peer.in.owed();
            if (verdicts == null) {
                transmit(peer, frame);
            } else {
                transmit(peer, verdicts, frame);
            }
        }
        if (peer.in.owesMany()) {
            transmitVerdicts(peer);
        }
    }

    /** Returns the next frame; null if there is none, or none is wanted now. Items that come while frames are sent share the next one. */
    private StreamFrame.@Nullable Items next(PeerNode peer) {
        if (!peer.out.hasNext() || !member.surroundings().isFree(peer.node)) {
            return null;
        }
        return peer.out.next(member.now(), post -> post.encode(member.now()));
    }

    private void transmitVerdicts(PeerNode peer) {
        var verdicts = peer.in.owed();
        if (verdicts != null) {
            transmit(peer, verdicts);
        }
    }

    void transmit(PeerNode peer, StreamFrame... frames) {
        member.surroundings().transmit(peer.node, FrameCodec.encode(frames));
    }
}
