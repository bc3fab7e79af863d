package io.fibry.internal.actor;

import io.fibry.internal.limit.Permit;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A behavior around another one that decides whether a message is handled now. It leaves all else to the inner behavior.
 * Only {@code ready} and {@code abandon} are not passed on: a stand-in calls them, which is the inner behavior itself.
 */
abstract class SurroundingBehavior implements Behavior {
    final Behavior inner;

    SurroundingBehavior(Behavior inner) {
        this.inner = inner;
    }

    @Override
    public final Class<?> handlerClass() {
        return inner.handlerClass();
    }

    @Override
    public final boolean isBody() {
        return inner.isBody();
    }

    @Override
    public final boolean carries(Permit permit) {
        return inner.carries(permit);
    }

    @Override
    public final void carriesNoMore() {
        inner.carriesNoMore();
    }

    @Override
    public final Optional<Host> crew() {
        return inner.crew();
    }

    @Override
    public final <M, R extends @Nullable Object> Context<M, R> contextOf(Handle<M, R> cell) {
        return inner.contextOf(cell);
    }

    @Override
    public final @Nullable Object call(Turn turn, Callable<? extends @Nullable Object> code, Object shown)
            throws Exception {
        return inner.call(turn, code, shown);
    }

    @Override
    public final boolean hasState() {
        return inner.hasState();
    }

    @Override
    public final Callable<? extends @Nullable Object> bound(Turn turn,
            Callable<? extends @Nullable Object> code) throws Exception {
        return inner.bound(turn, code);
    }

    @Override
    public final boolean become(@Nullable Object handler) {
        return inner.become(handler);
    }

    @Override
    public final void prepare(Turn turn) throws Exception {
        inner.prepare(turn);
    }

    @Override
    public final @Nullable Node begin(Turn turn) throws Exception {
        return inner.begin(turn);
    }

    @Override
    public void dispose() throws Exception {
        inner.dispose();
    }
}
