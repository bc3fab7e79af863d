package io.fibry.internal;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.event.Stopped.Reason;
import io.fibry.time.Timers;
import org.jspecify.annotations.Nullable;

/** An actor seen from inside. */
class Context<M, R extends @Nullable Object> implements ActorContext<M, R> {
    final Handle<M, R> cell;

    Context(Handle<M, R> cell) {
        this.cell = cell;
    }

    /** The context of an actor whose turn calls. */
    @SuppressWarnings("unchecked") // the engine handles actors of any type alike
    static Context<Object, @Nullable Object> of(Cell cell) {
        var companion = cell.companion();
        var made = companion.context;
        if (made == null) {
            made = new Context<>((Handle<Object, @Nullable Object>) cell);
            companion.context = made;
        }
        return made;
    }

    /** The turn that calls; throws if it is not this actor's. */
    final Turn turn() {
        var turn = Current.turn();
        if (turn == null || turn.cell != cell) {
            throw new IllegalStateException("the context of actor '" + cell.name()
                    + "' was used outside its handler; send the actor a message instead");
        }
        return turn;
    }

    @Override
    public final Actor<M, R> self() {
        return cell;
    }

    @Override
    public final ActorScope scope() {
        return cell.spec().scope();
    }

    @Override
    @SuppressWarnings("unchecked") // ticks are handled by the handler that set them
    public final Timers<M> timers() {
        turn();
        return (Timers<M>) ActorTimers.of(cell);
    }

    @Override
    public final void stop() {
        turn();
        cell.exit(Reason.EXIT);
    }

    @Override
    public final boolean exitRequested() {
        return cell.exitRequested();
    }
}
