package io.fibry.internal.actor;

/** A question to something outside of this process, for which an actor stands. Time-outs name it instead of the actor. Objects are thread-safe. */
public interface OutsideQuestion {
    /** Returns the one that was asked, such as "the group 'bank'". */
    String asked();

    /** Returns how far the question has come by now. */
    String progress();
}
