package io.fibry.cluster.home;

import io.fibry.cluster.stream.Verdict;
import java.util.UUID;

/**
 * The way of letters that name the node to which they go. They do not wait, and no letter is sent a second time: its sender, which is told its
 * fate, may choose another node for another letter.
 */
final class RouteToNode implements Route {
    private final ClusterMember member;

    RouteToNode(ClusterMember member) {
        this.member = member;
    }

    @Override
    public void send(Letter letter, long now) {
        if (member.sees(letter.node())) {
            member.dispatch(letter.node(), letter, 0);
        } else {
            refuse(letter);
        }
    }

    private void refuse(Letter letter) {
        member.told(letter, new Fate.Refused(letter.node(), Verdict.RETURNED));
    }

    @Override
    public UUID target(Letter letter) {
        return letter.node();
    }

    @Override
    public boolean repeats(Letter letter, Verdict verdict, long now) {
        return false;
    }

    @Override
    public void settled(Letter letter, UUID by, Verdict verdict, boolean isSentAgain, long now) {
        // Nothing waits for it.
    }

    @Override
    public boolean hasReturned(Letter letter) {
        return false;
    }

    @Override
    public void lost(Letter letter, boolean isNotTaken) {
        if (isNotTaken) {
            refuse(letter);
        }
    }

    @Override
    public void repeat(Letter letter) {
        throw new IllegalStateException("no letter to a node is repeated");
    }

    @Override
    public void ended(Letter letter) {
        // Nothing waits for it.
    }

    @Override
    public boolean takeBack(Letter letter) {
        return false;
    }

    @Override
    public void tick(long now) {
        // Nothing waits here.
    }
}
