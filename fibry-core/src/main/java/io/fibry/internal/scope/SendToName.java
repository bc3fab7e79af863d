package io.fibry.internal.scope;

import io.fibry.ActorException;
import io.fibry.ActorName;
import io.fibry.event.Undelivered;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.report.Fates;

/** Sends a message to the actor that has a name, or keeps it for such an actor, or loses it. */
record SendToName(Scope scope, String name) {
    /** Sends a message. Returns false if it was refused; this method has then reported it. */
    boolean run(Object message, int keep) {
        while (true) {
            var found = scope.find(ActorName.<Object, Object>of(name));
            if (found.isPresent()) {
                return found.get().sendMessage(message);
            }
            var names = scope.nameTable();
            if (scope.takesIn() && names.keep(name, MessageNode.with(scope.carriers(), message), keep)) {
                if (scope.isClosed()) {
                    loseKept(scope);
                }
                return true;
            }
            if (!scope.takesIn() || names.find(name).isEmpty()) {
                lose(Fates.Kind.REFUSED, message);
                return false;
            }
        }
    }

    /** Counts and reports a request as refused, since no actor has the name. Returns what its answer fails with. */
    ActorException refuseAsk(Object request) {
        lose(Fates.Kind.REFUSED, request);
        return new ActorException("there is no actor '" + name + "' in scope '" + scope.name()
                + "' for a request of " + request.getClass().getName()
                + "; make it first, or send a message, which can be kept for it", null);
    }

    /** Counts and reports a message as lost, since no actor has the name. */
    void lose(Fates.Kind fate, Object message) {
        scope.fates().lose(fate, Cause.NO_SUCH_ACTOR);
        scope.fates().remember(name, message, Cause.NO_SUCH_ACTOR);
        scope.events().report(new Undelivered(name, message, Cause.NO_SUCH_ACTOR));
    }

    /** Reports the messages that are kept for names as undelivered: the scope makes no actors any more. */
    static void loseKept(Scope scope) {
        scope.nameTable().takeKept().forEach(
                kept -> new SendToName(scope, kept.name()).lose(Fates.Kind.UNDELIVERED, kept.message()));
    }
}
