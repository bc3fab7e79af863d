package io.fibry;

import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A group of actors that are started again when they end. A group is an actor itself, and its members are its children.
 * {@link ActorBuilder#newGroup} makes it. Groups are thread-safe.
 *
 * <p>A member that has ended has stopped for good: another actor takes over its name, and the messages that waited for
 * it, in their order. So a program should find members by their names in the scope, or send to them by {@link
 * ActorScope#sendOrKeep}, which keeps messages while there is no actor of that name.
 *
 * <p>If there are more restarts than the {@linkplain GroupPolicy#limits() limits} allow, the group gives up: all
 * members stop, and the group ends as by {@link FailurePolicy#escalate()}.
 */
public interface ActorGroup extends AutoCloseable {
    /**
     * Adds a member and starts it. The method returns when the group has tried to start it. If the start fails, this is
     * treated as an end of the member by a failure, and further tries come after the method has returned. The members
     * are started in the order in which they were added, and stopped in the opposite order.
     *
     * @param name the name of the member, unique in the scope
     * @param lifetime decides when the member is started again
     * @param start makes the actor, now and each time the member is started again. It runs inside the group, and makes
     *     the actor by one call of a {@code new…} method of the given builder, or of a builder that is made from it. By
     *     default the actor {@linkplain FailurePolicy#stop() stops} when it fails
     * @return this group
     * @throws IllegalArgumentException if there is a member of that name already
     * @throws ActorStoppedException if the group has stopped
     */
    ActorGroup add(String name, Lifetime lifetime,
            Function<? super ActorBuilder, ? extends Actor<?, ?>> start);

    /**
     * Adds a member that has a typed name, and starts it, as {@link #add(String, Lifetime, Function)} does. The compiler
     * checks that the member takes the messages and gives the answers that the name declares.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param name the name of the member, unique in the scope
     * @param lifetime decides when the member is started again
     * @param start makes the actor, now and each time the member is started again
     * @return this group
     * @throws IllegalArgumentException if there is a member of that name already
     * @throws ActorStoppedException if the group has stopped
     */
    default <M, R extends @Nullable Object> ActorGroup add(ActorName<M, R> name, Lifetime lifetime,
            Function<? super ActorBuilder, ? extends Actor<M, R>> start) {
        return add(Objects.requireNonNull(name, "name").text(), lifetime, start);
    }

    /**
     * Returns the group as an actor. A program can wait for its end, watch it or link it.
     *
     * @return the actor
     */
    Actor<?, ?> actor();

    /**
     * Stops the members, beginning with the last one, and then the group. The call waits for the end of the group,
     * unless it comes from inside.
     */
    @Override
    void close();
}
