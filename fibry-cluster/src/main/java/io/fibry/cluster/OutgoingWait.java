package io.fibry.cluster;

import io.fibry.AskCycleException;
import io.fibry.cluster.circle.ActorWait;
import io.fibry.internal.cycles.RemoteWait;
import java.util.List;
import java.util.Optional;

/** The wait of an actor of this node for an ask that this node has sent. */
record OutgoingWait(RemoteWait inside, Outgoing outgoing, long ask,
        List<String> names) implements ActorWait {
    private static final int LONGEST_NAME = 80;

    /** Returns the wait that was noted; empty if its ask has not come to the actor of the member, or is over. */
    static Optional<ActorWait> of(RemoteWait wait, ClusterNode self) {
        return of(wait, wait.names(), self);
    }

    /** Returns the wait on which the answer of an actor depends that has a name among its group. */
    static Optional<ActorWait> of(RemoteWait wait, String first, ClusterNode self) {
        var names = wait.names();
        names.set(0, first);
        return of(wait, names, self);
    }

    private static Optional<ActorWait> of(RemoteWait wait, List<String> names, ClusterNode self) {
        return wait.question().map(question -> {
            var outgoing = (Outgoing) question;
            return new OutgoingWait(wait, outgoing, outgoing.number(),
                    names.stream().map(name -> "'" + some(name) + "' on '" + self.name() + "'").toList());
        });
    }

    private static String some(String name) {
        return name.length() > LONGEST_NAME ? name.substring(0, LONGEST_NAME) : name;
    }

    @Override
    public String actors() {
        return String.join(" -> ", names);
    }

    @Override
    public boolean isOver() {
        return inside.isOver();
    }

    @Override
    public boolean endsAs(ActorWait other) {
        return other instanceof OutgoingWait same && inside.endsAs(same.inside);
    }

    @Override
    public boolean isSameAs(ActorWait other) {
        return other instanceof OutgoingWait same && inside.isSameAs(same.inside);
    }

    /** Fails the ask. */
    void refuse(String circle) {
        var waiter = names.getLast();
        var text = "actor " + waiter + " would wait for itself: " + waiter + " -> " + circle
                + "; use sendMessage instead of waiting, or wait outside the actor";
        inside.recordCycle(text);
        outgoing.sender.refuse(outgoing, new AskCycleException(text));
    }
}
