package io.fibry.internal.scope;

import io.fibry.internal.abandon.StuckLimit;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Layer;
import io.fibry.internal.aside.Stash;
import io.fibry.internal.aside.UrgentLane;
import io.fibry.internal.layer.ReceivingLayer;
import io.fibry.internal.timer.IdleStop;
import java.util.List;

/**
 * The layers of an actor, and their order. Most actors that have layers have one, for which no order is looked up. The
 * page of the architecture has those around a handler as a table, with the threads and with what is around all of it.
 */
final class Layers {
    /** Those around a handler, from there outwards. Interceptors run on the handler's thread, the others on the turn's. */
    static final List<Class<? extends Layer>> FROM_THE_HANDLER =
            List.of(Interceptors.class, StartHooks.class, StuckLimit.class, Stash.Limit.class);
    /** Those that put nothing around it, in the order in which the actor gets their features. */
    static final List<Class<? extends Layer>> BESIDE_THE_HANDLER =
            List.of(ReceivingLayer.class, UrgentLane.Limit.class, IdleStop.After.class);

    private Layers() {
    }

    /** Returns a behavior with the layers of its actor. */
    static Behavior around(ActorSpec spec, Behavior handler) {
        var layers = spec.layers();
        if (layers.size() == 1) {
            return layers.getFirst().around(spec, handler);
        }
        var whole = handler;
        for (var kind : FROM_THE_HANDLER) {
            var layer = spec.layer(kind);
            if (layer != null) {
                whole = layer.around(spec, whole);
            }
        }
        return whole;
    }

    /** Gives an actor the features of the layers that are not around its handler. */
    static void equip(Cell cell) {
        var layers = cell.spec().layers();
        if (layers.size() == 1) {
            layers.getFirst().equip(cell);
            return;
        }
        for (var kind : BESIDE_THE_HANDLER) {
            var layer = cell.spec().layer(kind);
            if (layer != null) {
                layer.equip(cell);
            }
        }
    }
}
