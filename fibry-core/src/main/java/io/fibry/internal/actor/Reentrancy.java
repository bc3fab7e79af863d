package io.fibry.internal.actor;

import io.fibry.MailboxPolicy.Bounded;
import io.fibry.OverflowPolicy;
import java.util.List;

/** What actors have to be like to be reentrant. */
final class Reentrancy {
    private Reentrancy() {
    }

    /** Throws if the actor is to be reentrant and takes its messages in a way in which it cannot take one during a wait. */
    static void check(ActorSpec spec) {
        if (!spec.reentrant) {
            return;
        }
        var why = why(spec);
        if (!why.isEmpty()) {
            throw WrongSetting.ofActor(spec, "reentrant", "it " + why);
        }
    }

    /**
     * Returns what errors say of a cycle of waits that there would not be if one of its actors were reentrant: an actor that could
     * handle the ask which has come back to it, since its handler waits for an answer.
     */
    static String remedy(List<Waiting> path) {
        for (int i = 0; i < path.size(); i++) {
            var wait = path.get((i + 1) % path.size());
            if ((wait instanceof Answer<?> || wait instanceof NestedEdge)
                    && path.get(i) instanceof Answer<?> answer
                    && answer.origin().node() instanceof AskNode ask
                    && couldHandle(ask.cell(), answer.origin(), i == 0)) {
                return "; build actor '" + ask.cell().name()
                        + "' with reentrant(), which lets it handle this ask while it waits, or ";
            }
        }
        return "; ";
    }

    /** An actor below has no turn that could tell the ask at work; the one above it can only have sent it the newest ask. */
    private static boolean couldHandle(Cell cell, Answer<?> ask, boolean isNewest) {
        var spec = cell.spec;
        var turn = cell.turn();
        var isQueued = turn == null ? isNewest : turn.asked != ask;
        return isQueued && !spec.reentrant && !spec.receiving && why(spec).isEmpty()
                && !(cell.extendedState().keeper instanceof Batch);
    }

    private static String why(ActorSpec spec) {
        if (spec.wrapper() != null) {
            return "abandons stuck handlers: a handler could be abandoned with another one inside it; leave out"
                    + " abandonStuck, and give the asks a time limit";
        }
        if (spec.stash() > 0) {
            return "puts messages aside: an ask that its asker waits for in a cycle cannot wait; leave out"
                    + " stash(capacity)";
        }
        if (spec.mailbox instanceof Bounded bounded
                && bounded.overflow() instanceof OverflowPolicy.DropOldest) {
            return "drops the oldest message: a sender could drop the ask that the actor is about to handle; use another"
                    + " overflow policy";
        }
        return "";
    }
}
