package io.fibry.internal.actor;

import java.util.function.Predicate;

/**
 * Which messages of an actor are handled side by side.
 *
 * @param most how many of them at a time
 * @param marks whether a message is one of them
 */
public record Reading(int most, Predicate<Object> marks) {
    /** Throws {@link IllegalStateException} if actors of this specification cannot have readers. */
    void check(ActorSpec spec) {
        if (spec.receiving()) {
            throw cannot(spec,
                    "receives messages itself, or is a body: its code decides what it takes, one after the other;"
                            + " use a handler");
        }
        if (spec.wrapper() != null) {
            throw cannot(spec, "abandons stuck handlers: there is one handler at a time to abandon; leave out"
                    + " abandonStuck, and give the asks a time limit");
        }
        if (spec.placement().mayRunInPlace()) {
            throw cannot(spec,
                    "runs on threads that do not belong to the library (its strategy is " + spec.strategy()
                            + "), where its handlers have to stay; use fibers(), threads() or pool(n)");
        }
        if (spec.runByCallers()) {
            throw cannot(spec, "is to be run by its callers, one at a time; leave out runByCallers()");
        }
        if (spec.interruptOnCancel) {
            throw cannot(spec, "is interrupted when its answer is cancelled, which is meant for one handler;"
                    + " leave out interruptOnCancel()");
        }
        if (spec.batch() != null) {
            throw cannot(spec,
                    "handles batches: a batch has messages of both kinds; leave out one of the two");
        }
        if (spec.urgent() > 0) {
            throw cannot(spec, "takes urgent messages, which would overtake what waits for the readers;"
                    + " leave out urgent(capacity)");
        }
        if (spec.stash() > 0) {
            throw cannot(spec, "puts messages aside, for which one handler after the other has to decide;"
                    + " leave out stash(capacity)");
        }
    }

    /** Throws {@link IllegalStateException} if the specification has readers, since what is to be made is no plain actor. */
    public static void refuse(ActorSpec spec, String what, String remedy) {
        if (spec.readers() != null) {
            throw WrongSetting.of(spec, what, "readers", remedy);
        }
    }

    private static IllegalStateException cannot(ActorSpec spec, String why) {
        return WrongSetting.ofActor(spec, "readers", "it " + why);
    }
}
