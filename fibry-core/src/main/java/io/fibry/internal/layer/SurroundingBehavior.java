package io.fibry.internal.layer;

import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Host;
import io.fibry.internal.actor.Layer;
import io.fibry.internal.actor.Signal;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.limit.Permit;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** The behavior of a {@link Layer} around another behavior. It leaves to the inner behavior what it does not override. */
public abstract class SurroundingBehavior implements Behavior {
    protected final Behavior inner;

    protected SurroundingBehavior(Behavior inner) {
        this.inner = inner;
    }

    @Override
    public void equip(Cell cell) {
        inner.equip(cell);
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
    public boolean mayKeep() {
        return inner.mayKeep();
    }

    @Override
    public final Optional<Host> crew() {
        return inner.crew();
    }

    @Override
    public @Nullable Object handle(Turn turn, Object message) throws Exception {
        return inner.handle(turn, message);
    }

    @Override
    public @Nullable Object call(Turn turn, Callable<? extends @Nullable Object> code, Object shown)
            throws Exception {
        return inner.call(turn, code, shown);
    }

    @Override
    public final boolean hasState() {
        return inner.hasState();
    }

    @Override
    public Callable<? extends @Nullable Object> bound(Turn turn,
            Callable<? extends @Nullable Object> code) throws Exception {
        return inner.bound(turn, code);
    }

    @Override
    public Behavior ready(Turn turn) throws Exception {
        return inner.ready(turn);
    }

    @Override
    public @Nullable AutoCloseable abandon() {
        return inner.abandon();
    }

    @Override
    public final boolean become(@Nullable Object handler) {
        return inner.become(handler);
    }

    @Override
    public void prepare(Turn turn) throws Exception {
        inner.prepare(turn);
    }

    @Override
    public @Nullable Signal begin(Turn turn) throws Exception {
        return inner.begin(turn);
    }

    @Override
    public void dispose() throws Exception {
        inner.dispose();
    }
}
