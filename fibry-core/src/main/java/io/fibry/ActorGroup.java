package io.fibry;

import java.util.function.Function;

/**
 * Actors that are started again when they end. A group is an actor itself; its members are its children. Made by
 * {@link ActorBuilder#newGroup}. Thread-safe.
 *
 * <p>A member that has ended has stopped for good: another actor takes its name, and the messages that waited
 * for it, in their order. So members are best found by their names in the scope, or sent to by
 * {@link ActorScope#sendMessage}, which can keep messages while there is nobody of that name.
 *
 * <p>If there are more restarts than the {@linkplain GroupPolicy#limits() limits} say, the group gives up: all members
 * stop, and it ends as by {@link FailurePolicy#escalate()}.
 */
public interface ActorGroup extends AutoCloseable {
    /**
     * Adds a member and starts it; returns when that was tried. If it fails, that is treated as an end of the member
     * by a failure: further tries come after this has returned. Members are started in the order they were added, and stopped in the opposite one.
     *
     * @param name the member's name, unique in the scope
     * @param lifetime when it is started again
     * @param start makes the actor, now and each time it is started again, inside the group: by one call of a
     *            {@code new…} method of the builder that it is given, or of one made from that. By default the actor
     *            {@linkplain FailurePolicy#stop() stops} when it fails
     * @return this group
     * @throws IllegalArgumentException if there is a member of that name
     * @throws ActorStoppedException if the group has stopped
     */
    ActorGroup add(String name, Lifetime lifetime,
            Function<? super ActorBuilder, ? extends Actor<?, ?>> start);

    /**
     * The group as an actor: to wait for its end, to watch it, to be linked to it.
     *
     * @return the actor
     */
    Actor<?, ?> actor();

    /** Stops the members, the last first, and then the group. Waits for it, unless called from inside. */
    @Override
    void close();
}
