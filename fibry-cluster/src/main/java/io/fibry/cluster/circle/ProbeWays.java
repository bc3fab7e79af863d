package io.fibry.cluster.circle;

import java.util.Optional;

/** What a {@link CircleSearch} asks of the world around it. These methods must not call the search: what comes of them is told later. */
public interface ProbeWays {
    /** Returns the wait of this node on which the answer to an ask that was delivered here depends; empty if it depends on none. */
    Optional<ActorWait> under(NodeAsk ask);

    /** Sends a probe along the ask for which an actor of this node waits, when it is known which node has it. The probe may be lost. */
    void send(ActorWait wait, CircleProbe probe);

    /** Fails an ask, since the actor that waits for it waits for itself. */
    void refuse(ActorWait wait, String circle);
}
