package io.fibry.internal.mailbox;

import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import org.jspecify.annotations.Nullable;

/**
 * An actor with an unbounded mailbox and a name. The name is here and not in the specification, which actors of
 * different names share; an anonymous actor has no field for it.
 */
public final class NamedUnboundedCell<M, R extends @Nullable Object> extends UnboundedCell<M, R> {
    private final String name;

    public NamedUnboundedCell(ActorSpec spec, Behavior behavior, String name) {
        super(spec, behavior);
        this.name = name;
    }

    @Override
    public String givenName() {
        return name;
    }
}
