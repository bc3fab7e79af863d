package io.fibry.internal.scope;

import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.ScopeBuilder;

/** Scopes inside the scope of a program, for actors of the library on which the actors of the program depend. */
public final class ServiceScope {
    private ServiceScope() {
    }

    /**
     * Returns the builder of a scope that takes from the scope around it neither its mailboxes, failure policy and strategy nor its limits: what
     * a program sets for its own actors must not lose messages of those that serve them, or hold them up. Its messages carry nothing: they are
     * on the way of the messages of others, whose context they must not replace.
     */
    public static ScopeBuilder inside(ActorScope scope, String name, CreationStrategy strategy) {
        return ((ScopeSpec) scope.child(name)).serving(strategy);
    }
}
