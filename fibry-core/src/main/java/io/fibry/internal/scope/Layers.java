package io.fibry.internal.scope;

import io.fibry.internal.abandon.StuckLimit;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Layer;
import io.fibry.internal.aside.Stash;
import java.util.List;

/**
 * What is around a handler, and in which order. The page of the architecture has this list as a table, with the threads and with
 * what is around all of it.
 */
final class Layers {
    /** All layers, from the handler outwards. Interceptors run on the thread of the handler, the others on that of the turn. */
    static final List<Class<? extends Layer>> FROM_THE_HANDLER =
            List.of(Interceptors.class, StartHooks.class, StuckLimit.class, Stash.Limit.class);

    private Layers() {
    }

    /** Returns a behavior with the layers of its actor. */
    static Behavior around(ActorSpec spec, Behavior handler) {
        var whole = handler;
        for (var kind : FROM_THE_HANDLER) {
            var layer = spec.layer(kind);
            if (layer != null) {
                whole = layer.around(spec, whole);
            }
        }
        return whole;
    }
}
