package io.fibry.internal.scope;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The scopes inside a scope. The root scope does not close them and does not keep them alive; any other scope does both. */
public final class InnerScopes {
    private final Set<Scope> closed = ConcurrentHashMap.newKeySet();
    private final @Nullable WeakScopes ofRoot;
    /** The crews of servers, which their servers close. */
    private final WeakScopes crews = new WeakScopes();

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

    /** Adds the crew of a server, and returns it. */
    Scope withCrew(Scope crew) {
        crews.add(crew);
        return crew;
    }

    /** Returns the crews of servers that are open, or that have actors left. */
    public List<Scope> crews() {
        return present(crews.all());
    }

    /** Returns the scopes that are closed with the one around them. */
    Set<Scope> closedWithIt() {
        return closed;
    }

    /** Returns those that are open, or that have actors left. Called by any thread. */
    public List<Scope> all() {
        return present(ofRoot == null ? closed : ofRoot.all());
    }

    private static List<Scope> present(Collection<Scope> scopes) {
        var found = new ArrayList<Scope>();
        for (var scope : scopes) {
            if (isPresent(scope)) {
                found.add(scope);
            }
        }
        return found;
    }

    /** Returns false for a closed scope that its last actor, which has exited, is about to remove. */
    private static boolean isPresent(Scope scope) {
        return !scope.isClosed() || !scope.cells().isEmpty() || !scope.abandoned().isEmpty()
                || !scope.inner().all().isEmpty();
    }
}
