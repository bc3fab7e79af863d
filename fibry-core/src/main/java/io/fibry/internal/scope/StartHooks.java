package io.fibry.internal.scope;

import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Behavior.Disposal;
import io.fibry.internal.actor.ClosingHook;
import io.fibry.internal.actor.Layer;
import io.fibry.internal.actor.Signal;
import io.fibry.internal.actor.Termination;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.actor.Turn.NoMessage;
import io.fibry.internal.handle.StateTask;
import io.fibry.internal.layer.SurroundingBehavior;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The layer of the hooks for the start of an actor. They run when the handler or the state has been made: by the first node of
 * the actor, after a restart, and otherwise for the next message, if the start has failed and the policy is to resume, or if a
 * handler was abandoned.
 *
 * @param hooks the hooks, in their order
 */
record StartHooks(List<StartHook> hooks) implements Layer {
    /** Returns a specification with one more hook. */
    static ActorSpec with(ActorSpec spec, StartHook hook) {
        var before = spec.layer(StartHooks.class);
        return spec.with(new StartHooks(
                before == null ? List.of(hook)
                        : Stream.concat(before.hooks.stream(), Stream.of(hook)).toList()));
    }

    @Override
    public Behavior around(ActorSpec spec, Behavior inner) {
        return new Starting(inner, hooks);
    }

    /** Only the turn uses this object. */
    private static final class Starting extends SurroundingBehavior {
        private final List<StartHook> hooks;
        private boolean started;

        Starting(Behavior inner, List<StartHook> hooks) {
            super(inner);
            this.hooks = hooks;
        }

        /** Runs the hooks. If one of them throws, this method drops what was made for them: the next attempt begins anew. */
        private void run(Turn turn) throws Exception {
            var around = NoMessage.begin(turn);
            try {
                for (var hook : hooks) {
                    hook.run(turn, inner);
                }
            } catch (Throwable failure) {
                Termination.runHook(turn.cell, new ClosingHook(new Disposal(inner)));
                throw failure;
            } finally {
                NoMessage.end(turn, around);
            }
            started = true;
        }

        @Override
        public void prepare(Turn turn) throws Exception {
            super.prepare(turn);
            run(turn);
        }

        @Override
        public @Nullable Signal begin(Turn turn) throws Exception {
            var first = super.begin(turn);
            run(turn);
            return first;
        }

        private void requireStarted(Turn turn) throws Exception {
            if (!started) {
                begin(turn);
            }
        }

        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            requireStarted(turn);
            return super.handle(turn, message);
        }

        @Override
        public Behavior ready(Turn turn) throws Exception {
            requireStarted(turn);
            return super.ready(turn);
        }

        @Override
        public @Nullable Object call(Turn turn, Callable<? extends @Nullable Object> code, Object shown)
                throws Exception {
            return bound(turn, code).call();
        }

        @Override
        public Callable<? extends @Nullable Object> bound(Turn turn,
                Callable<? extends @Nullable Object> code) throws Exception {
            if (code instanceof StateTask) {
                requireStarted(turn);
            }
            return super.bound(turn, code);
        }

        @Override
        public @Nullable AutoCloseable abandon() {
            started = false;
            return super.abandon();
        }

        @Override
        public void dispose() throws Exception {
            started = false;
            super.dispose();
        }
    }
}
