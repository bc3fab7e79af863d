package io.fibry.cluster.home;

import io.fibry.cluster.stream.Verdict;

/**
 * The way of letters that name the node to which they go. They do not wait, and no letter is sent a second time: its
 * sender, which is told its fate, may choose another node for another letter.
 */
final class RouteToNode extends Route {
    RouteToNode(ClusterMember member) {
        super(member);
    }

    @Override
    void send(Letter letter, long now) {
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
    void lost(Letter letter, boolean isNotTaken) {
        if (isNotTaken) {
            refuse(letter);
        }
    }
}
