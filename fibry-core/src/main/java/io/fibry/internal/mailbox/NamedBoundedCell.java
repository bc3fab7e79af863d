package io.fibry.internal.mailbox;

import io.fibry.MailboxPolicy.Bounded;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import org.jspecify.annotations.Nullable;

/**
 * An actor with a bounded mailbox and a name. The name is here and not in the specification, which actors of
 * different names share; an anonymous actor has no field for it.
 */
public final class NamedBoundedCell<M, R extends @Nullable Object> extends BoundedCell<M, R> {
    private final String name;

    public NamedBoundedCell(ActorSpec spec, Behavior behavior, Bounded policy, String name) {
        super(spec, behavior, policy);
        this.name = name;
    }

    @Override
    public String givenName() {
        return name;
    }
}
