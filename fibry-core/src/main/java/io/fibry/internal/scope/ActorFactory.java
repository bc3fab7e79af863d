package io.fibry.internal.scope;

import io.fibry.MailboxPolicy;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Node;
import io.fibry.internal.handle.Handle;
import io.fibry.internal.mailbox.BoundedCell;
import io.fibry.internal.mailbox.NamedBoundedCell;
import io.fibry.internal.mailbox.NamedUnboundedCell;
import io.fibry.internal.mailbox.UnboundedCell;
import org.jspecify.annotations.Nullable;

/** Makes actors from their specifications. */
public final class ActorFactory {
    private ActorFactory() {
    }

    /** Makes an actor. The actor's scope admits it and starts it with its first node, if there is one. */
    static <M, R extends @Nullable Object> Handle<M, R> make(ActorSpec spec, Behavior behavior,
            @Nullable Node first) {
        Setting.check(spec);
        Handle<M, R> cell = cell(spec, behavior);
        for (var hook : spec.exitHooks()) {
            cell.extendedState().addHook(hook);
        }
        spec.scope().admit(cell, first);
        return cell;
    }

    /** Makes the object of an actor. No scope knows this actor yet. */
    public static <M, R extends @Nullable Object> Handle<M, R> cell(ActorSpec spec, Behavior behavior) {
        var hasLayers = !spec.layers().isEmpty();
        var whole = hasLayers ? Layers.around(spec, behavior) : behavior;
        var name = spec.nameToGive();
        Handle<M, R> cell = spec.mailbox() instanceof MailboxPolicy.Bounded bounded
                ? name == null ? new BoundedCell<>(spec, whole, bounded)
                        : new NamedBoundedCell<>(spec.shared(), whole, bounded, name)
                : name == null ? new UnboundedCell<>(spec, whole)
                : new NamedUnboundedCell<>(spec.shared(), whole, name);
        if (hasLayers) {
            whole.equip(cell);
            Layers.equip(cell);
        }
        return cell;
    }
}
