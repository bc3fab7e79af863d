package io.fibry.event;

/** Something that happened to an actor or to a message. */
public sealed interface ActorEvent
        permits Started, Stopped, Failed, Restarted, Escalated, Undelivered, Expired, HighWater,
        Stuck, Lagging, CarriersStarved {
    /**
     * Returns the name of the actor.
     *
     * @return the name; anonymous actors have a made-up one
     */
    String actor();
}
