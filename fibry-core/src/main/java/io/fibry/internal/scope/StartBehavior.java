package io.fibry.internal.scope;

import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.ClosingHook;
import io.fibry.internal.actor.Disposal;
import io.fibry.internal.actor.NoMessage;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.StartHook;
import io.fibry.internal.actor.StateTask;
import io.fibry.internal.actor.Termination;
import io.fibry.internal.actor.Turn;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The behavior of an actor with hooks for its start. The hooks run when the handler or the state has been made: by the
 * first node of the actor, after a restart, and otherwise for the next message, if the start has failed and the policy
 * is to resume, or if a handler was abandoned. Only the turn uses this object.
 */
public final class StartBehavior implements Behavior {
    private final Behavior inner;
    private final List<StartHook> hooks;
    private boolean started;

    private StartBehavior(Behavior inner, List<StartHook> hooks) {
        this.inner = inner;
        this.hooks = hooks;
    }

    /**
     * Returns a behavior that runs hooks for the start.
     *
     * @param inner the behavior of the actor
     * @param hooks the hooks
     * @return the behavior; {@code inner} if there are no hooks
     */
    public static Behavior around(Behavior inner, List<StartHook> hooks) {
        return hooks.isEmpty() ? inner : new StartBehavior(inner, hooks);
    }

    /** Runs the hooks. If one of them throws, this method drops what was made for them: the next attempt begins anew. */
    static void run(List<StartHook> hooks, Behavior started, Turn turn) throws Exception {
        var around = NoMessage.begin(turn);
        try {
            for (var hook : hooks) {
                hook.run(turn);
            }
        } catch (Throwable failure) {
            Termination.runHook(turn.cell, new ClosingHook(new Disposal(started)));
            throw failure;
        } finally {
            NoMessage.end(turn, around);
        }
    }

    @Override
    public Class<?> handlerClass() {
        return inner.handlerClass();
    }

    @Override
    public @Nullable Node begin(Turn turn) throws Exception {
        var first = inner.begin(turn);
        run(hooks, inner, turn);
        started = true;
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
        return inner.handle(turn, message);
    }

    @Override
    public Behavior ready(Turn turn) throws Exception {
        requireStarted(turn);
        return inner.ready(turn);
    }

    @Override
    public boolean become(@Nullable Object handler) {
        return inner.become(handler);
    }

    @Override
    public boolean hasState() {
        return inner.hasState();
    }

    @Override
    public Callable<? extends @Nullable Object> bound(Turn turn,
            Callable<? extends @Nullable Object> code) throws Exception {
        if (code instanceof StateTask) {
            requireStarted(turn);
        }
        return inner.bound(turn, code);
    }

    @Override
    public @Nullable AutoCloseable abandon() {
        started = false;
        return inner.abandon();
    }

    @Override
    public void dispose() throws Exception {
        started = false;
        inner.dispose();
    }
}
