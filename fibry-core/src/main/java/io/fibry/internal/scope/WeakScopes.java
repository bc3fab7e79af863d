package io.fibry.internal.scope;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The scopes directly inside the root scope. The root scope does not close them, so the list must not keep a scope alive that
 * its owner has forgotten.
 */
final class WeakScopes {
    /** A scope, which is equal to another if it is the same. The hash stays when the scope is gone. */
    private static final class Entry extends WeakReference<Scope> {
        private final int hash;

        Entry(Scope scope, @Nullable ReferenceQueue<Scope> gone) {
            super(scope, gone);
            hash = System.identityHashCode(scope);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            if (this == other) {
                return true;
            }
            var mine = get();
            return mine != null && other instanceof Entry entry && entry.refersTo(mine);
        }
    }

    private final Map<Entry, Boolean> entries = new ConcurrentHashMap<>();
    private final ReferenceQueue<Scope> gone = new ReferenceQueue<>();

    void add(Scope scope) {
        removeGone();
        entries.put(new Entry(scope, gone), true);
    }

    void remove(Scope scope) {
        removeGone();
        entries.remove(new Entry(scope, null));
    }

    /** Returns the scopes that are still there. */
    List<Scope> all() {
        var all = new ArrayList<Scope>();
        for (var entry : entries.keySet()) {
            var scope = entry.get();
            if (scope != null) {
                all.add(scope);
            }
        }
        return all;
    }

    private void removeGone() {
        for (Reference<? extends Scope> each = gone.poll(); each != null; each = gone.poll()) {
            entries.remove((Entry) each);
        }
    }
}
