package io.fibry;

/** Determines whether a member of an {@link ActorGroup} is started again when it has stopped. */
public enum Lifetime {
    /** The member is always started again, also after a normal end. */
    PERMANENT,
    /**
     * The member is started again after an {@linkplain io.fibry.event.Stopped.Reason#isAbnormal() abnormal} end only.
     */
    TRANSIENT,
    /** The member is never started again. */
    TEMPORARY
}
