package io.fibry.internal.scope;

import io.fibry.ActorScope;
import io.fibry.internal.context.Carried;
import io.fibry.internal.context.Carriers;
import java.util.Map;

/**
 * The context of threads, as far as the carriers of a scope can write it: it goes with messages to other nodes. The
 * context has two levels: the name of its carrier, and the names that this carrier gives to its values.
 */
public final class TravellingContext {
    private final Scope scope;

    private TravellingContext(Scope scope) {
        this.scope = scope;
    }

    /** Returns the context that the carriers of a scope know. */
    public static TravellingContext of(ActorScope scope) {
        return new TravellingContext((Scope) scope);
    }

    /** Writes the context of the calling thread. What cannot be written is left out, and reported once. */
    public Map<String, Map<String, String>> write() {
        return Carriers.write(scope.carriers());
    }

    /** Runs code with the context that another node has written. */
    public void around(Map<String, Map<String, String>> written, Runnable code) {
        Carried.around(Carriers.read(scope.carriers(), written), code);
    }
}
