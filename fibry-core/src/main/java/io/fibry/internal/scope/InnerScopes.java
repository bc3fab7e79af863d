package io.fibry.internal.scope;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The scopes inside a scope. The root scope does not close them and does not keep them alive; any other scope does both. */
public final class InnerScopes {
    private final Set<Scope> closed = ConcurrentHashMap.newKeySet();
    private final @Nullable WeakScopes ofRoot;

    InnerScopes(boolean isRoot) {
        ofRoot = isRoot ? new WeakScopes() : null;
    }

    void add(Scope child) {
        if (ofRoot == null) {
            closed.add(child);
        } else {
            ofRoot.add(child);
        }
    }

    void remove(Scope child) {
        if (ofRoot == null) {
            closed.remove(child);
        } else {
            ofRoot.remove(child);
        }
    }

    /** Returns the scopes that are closed with the one around them. */
    Set<Scope> closedWithIt() {
        return closed;
    }

    /** Returns all of them. Called by any thread. */
    public Collection<Scope> all() {
        return ofRoot == null ? closed : ofRoot.all();
    }
}
