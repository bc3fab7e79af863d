package io.fibry;

/** Whether a member of an {@link ActorGroup} is started again when it has stopped. */
public enum Lifetime {
    /** Always, also after a normal end. */
    PERMANENT,
    /** After an {@linkplain io.fibry.event.Stopped.Reason#isAbnormal() abnormal} end only. */
    TRANSIENT,
    /** Never. */
    TEMPORARY
}
