package io.fibry.cluster.circle;

/** The wait of an actor of this node for an ask of this node, and the waits of other actors on a path to it. */
public interface ActorWait {
    /** The number of the ask. */
    long ask();

    /** The actors on the path, the one that waits for the ask last, for a report. */
    String actors();

    /** Whether the actor does not wait for the ask any more. */
    boolean isOver();

    /** Whether it is the same actor that waits for the same ask, by whatever path. */
    boolean endsAs(ActorWait other);

    /** Whether the whole path is the same, and was there all the time. */
    boolean isSameAs(ActorWait other);
}
