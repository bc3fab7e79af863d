package io.fibry;

import java.util.Objects;

/**
 * Who is started again when a member of an {@link ActorGroup} has ended, and how often. An immutable value.
 *
 * @param affected who is started again
 * @param limits how many restarts there may be, and the pauses before them
 */
public record GroupPolicy(Affected affected, FailurePolicy.Restart limits) {
    /** Who is stopped and started again together with a member that has ended. */
    public enum Affected {
        /** Nobody else. */
        ONE,
        /** All members. */
        ALL,
        /** Those that were added after it. */
        REST
    }

    /**
     * Checks that both are there.
     *
     * @param affected not null
     * @param limits not null
     */
    public GroupPolicy {
        Objects.requireNonNull(affected, "affected");
        Objects.requireNonNull(limits, "limits");
    }

    /**
     * Only the member that has ended is started again.
     *
     * @return the policy
     */
    public static GroupPolicy oneForOne() {
        return new GroupPolicy(Affected.ONE, FailurePolicy.restart());
    }

    /**
     * All members are stopped and started again.
     *
     * @return the policy
     */
    public static GroupPolicy allForOne() {
        return new GroupPolicy(Affected.ALL, FailurePolicy.restart());
    }

    /**
     * The member that has ended and those that were added after it are stopped and started again.
     *
     * @return the policy
     */
    public static GroupPolicy restForOne() {
        return new GroupPolicy(Affected.REST, FailurePolicy.restart());
    }

    /**
     * The same with other limits and pauses. The default is ten restarts in a minute, without pauses.
     *
     * @param newLimits how many restarts there may be in the whole group, and the pauses before them
     * @return the policy
     */
    public GroupPolicy limits(FailurePolicy.Restart newLimits) {
        return new GroupPolicy(affected, newLimits);
    }
}
