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
     * Returns what errors say of a cycle of waits that there would not be if an actor of it were reentrant: the actor that was
     * asked last, if its handler waits for an answer and could handle the ask meanwhile.
     */
    static String remedy(Cell self, List<Waiting> path) {
        var asked = path.getFirst().target();
        var spec = asked.spec;
        var handlesIt = path.getFirst() instanceof Answer<?> ask && ask.node() instanceof AskNode
                && path.get(1 % path.size()) instanceof Answer<?>
                && !spec.reentrant && !spec.receiving && why(spec).isEmpty()
                && !Readers.areRunning(asked) && !(asked.extendedState().keeper instanceof Batch);
        return handlesIt ? "; build actor '" + asked.name()
                + "' with reentrant(), which lets it handle this ask while it waits,"
                + " or " : "; ";
    }

    private static String why(ActorSpec spec) {
        if (spec.readers() != null) {
            return "has readers: several of its handlers may wait at a time; leave out readers(n)";
        }
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
