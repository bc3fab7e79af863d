package io.fibry;

import java.util.Objects;

/**
 * Decides which members of an {@link ActorGroup} are started again when one of them has ended, and how often. Policies
 * are immutable values.
 *
 * @param affected which members are started again
 * @param limits how many restarts there may be, and the pauses before them
 */
public record GroupPolicy(Affected affected, FailurePolicy.Restart limits) {
    /** The members that are stopped and started again together with a member that has ended. */
    public enum Affected {
        /** No other member. */
        ONE,
        /** All members. */
        ALL,
        /** The members that were added after it. */
        REST
    }

    /**
     * Checks that neither is null.
     *
     * @param affected not null
     * @param limits not null
     */
    public GroupPolicy {
        Objects.requireNonNull(affected, "affected");
        Objects.requireNonNull(limits, "limits");
    }

    /**
     * Returns the policy to start only the member again that has ended.
     *
     * @return the policy
     */
    public static GroupPolicy oneForOne() {
        return new GroupPolicy(Affected.ONE, FailurePolicy.restart());
    }

    /**
     * Returns the policy to stop all members and to start them again.
     *
     * @return the policy
     */
    public static GroupPolicy allForOne() {
        return new GroupPolicy(Affected.ALL, FailurePolicy.restart());
    }

    /**
     * Returns the policy to stop the members that were added after the one that has ended, and to start it and them
     * again.
     *
     * @return the policy
     */
    public static GroupPolicy restForOne() {
        return new GroupPolicy(Affected.REST, FailurePolicy.restart());
    }

    /**
     * Returns the same policy with other limits and pauses. The default is ten restarts in a minute, without pauses.
     *
     * @param newLimits how many restarts there may be in the whole group, and the pauses before them
     * @return the policy
     */
    public GroupPolicy limits(FailurePolicy.Restart newLimits) {
        return new GroupPolicy(affected, newLimits);
    }
}
