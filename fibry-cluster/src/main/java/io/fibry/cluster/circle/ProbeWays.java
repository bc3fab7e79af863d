package io.fibry.cluster.circle;

import java.util.Optional;

/** What a {@link CircleSearch} needs. These methods must not call the search: their results are told later. */
public interface ProbeWays {
    /** Returns the wait here on which the answer to an ask that was delivered here depends; empty if there is none. */
    Optional<ActorWait> under(NodeAsk ask);

    /** Sends a probe along an ask for which an actor here waits, once it is known which node has it. The probe may be lost. */
    void send(ActorWait wait, CircleProbe probe);

    /** Fails an ask, since the actor that waits for it waits for itself. */
    void refuse(ActorWait wait, String circle);
}
