package io.fibry.internal;

import io.fibry.Body;
import io.fibry.CloseBehavior;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How an actor is to be. One object serves all actors that a builder makes. */
record ActorSpec(Scope scope, @Nullable String name, CreationStrategy strategy, Placement placement,
        MailboxPolicy mailbox, FailurePolicy onFailure, CloseBehavior onClose, List<Body> exitHooks,
        boolean interruptOnCancel, boolean receiving, boolean runByCallers) {

    ActorSpec named(String newName) {
        return new ActorSpec(scope, newName, strategy, placement, mailbox, onFailure, onClose, exitHooks,
                interruptOnCancel, receiving, runByCallers);
    }

    ActorSpec on(CreationStrategy newStrategy) {
        return new ActorSpec(scope, name, newStrategy, Placement.of(newStrategy), mailbox, onFailure, onClose,
                exitHooks, interruptOnCancel, receiving, runByCallers);
    }

    ActorSpec with(MailboxPolicy newMailbox) {
        return new ActorSpec(scope, name, strategy, placement, newMailbox, onFailure, onClose, exitHooks,
                interruptOnCancel, receiving, runByCallers);
    }

    ActorSpec with(FailurePolicy newPolicy) {
        return new ActorSpec(scope, name, strategy, placement, mailbox, newPolicy, onClose, exitHooks,
                interruptOnCancel, receiving, runByCallers);
    }

    ActorSpec with(CloseBehavior newBehavior) {
        return new ActorSpec(scope, name, strategy, placement, mailbox, onFailure, newBehavior, exitHooks,
                interruptOnCancel, receiving, runByCallers);
    }

    ActorSpec with(Body exitHook) {
        var hooks = new ArrayList<>(exitHooks);
        hooks.add(exitHook);
        return new ActorSpec(scope, name, strategy, placement, mailbox, onFailure, onClose,
                List.copyOf(hooks),
                interruptOnCancel, receiving, runByCallers);
    }

    ActorSpec interruptedOnCancel() {
        return new ActorSpec(scope, name, strategy, placement, mailbox, onFailure, onClose, exitHooks, true,
                receiving, runByCallers);
    }

    ActorSpec byCallers() {
        return new ActorSpec(scope, name, strategy, placement, mailbox, onFailure, onClose, exitHooks,
                interruptOnCancel, receiving, true);
    }

    ActorSpec asReceiving() {
        return new ActorSpec(scope, name, strategy, placement, mailbox, onFailure, onClose, exitHooks,
                interruptOnCancel, true, runByCallers);
    }

    /** The same for an anonymous actor of another scope, without the hooks. */
    ActorSpec of(Scope other) {
        return new ActorSpec(other, null, strategy, placement, MailboxPolicy.unbounded(), onFailure, onClose,
                List.of(), interruptOnCancel, false, false);
    }
}
