package io.fibry.internal.handle;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.event.Stopped;
import io.fibry.event.Stopped.Reason;
import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Current;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.aside.Stash;
import io.fibry.internal.memory.StackReserve;
import io.fibry.internal.reply.OpenReply;
import io.fibry.internal.timer.ActorTimers;
import io.fibry.message.DeferredReply;
import io.fibry.time.Timers;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An actor as its own handler sees it. */
public class Context<M, R extends @Nullable Object> implements ActorContext<M, R> {
    public final Handle<M, R> cell;

    public Context(Handle<M, R> cell) {
        this.cell = cell;
    }

    /** Returns the context of an actor whose turn calls. */
    @SuppressWarnings("unchecked") // the engine handles actors of any type alike
    public static Context<Object, @Nullable Object> of(Cell cell) {
        var extended = cell.extendedState();
        var made = (Context<Object, @Nullable Object>) extended.context;
        if (made == null) {
            made = new Context<>((Handle<Object, @Nullable Object>) cell);
            extended.context = made;
        }
        return made;
    }

    /** Returns the turn that calls; throws if it is not a turn of this actor. */
    public final Turn turn() {
        var turn = Current.turn();
        if (turn == null || turn.cell != cell) {
            throw new IllegalStateException("the context of actor '" + cell.name()
                    + "' was used outside its handler; send the actor a message instead");
        }
        return turn;
    }

    @Override
    public Actor<M, R> self() {
        return cell;
    }

    @Override
    public ActorScope scope() {
        return cell.spec.scope;
    }

    @Override
    @SuppressWarnings("unchecked") // ticks are handled by the handler that set them
    public Timers<M> timers() {
        turn();
        return (Timers<M>) ActorTimers.of(cell);
    }

    @Override
    public ActorBuilder child() {
        turn();
        return cell.spec.scope.childOf(cell, null);
    }

    @Override
    public ActorBuilder child(String name) {
        turn();
        return cell.spec.scope.childOf(cell, Objects.requireNonNull(name, "name"));
    }

    @Override
    @SuppressWarnings("unchecked") // the message is handled by the handler that watches
    public void watch(Actor<?, ?> other, Function<? super Stopped, ? extends M> notice) {
        turn();
        Objects.requireNonNull(notice, "notice");
        var over = cellOf(other);
        if (!cell.isStopping()) { // in an exit hook the actor takes no message any more, and nothing would end the watch
            cell.supervision().watch(cell, over, (Function<Stopped, Object>) notice);
        }
    }

    @Override
    public boolean unwatch(Actor<?, ?> other) {
        turn();
        return cell.supervision().unwatch(cellOf(other));
    }

    @Override
    public void link(Actor<?, ?> other) {
        turn();
        cell.supervision().link(cell, cellOf(other));
    }

    @Override
    public void unlink(Actor<?, ?> other) {
        turn();
        cell.supervision().unlink(cell, cellOf(other));
    }

    private Cell cellOf(Actor<?, ?> other) {
        Objects.requireNonNull(other, "other");
        if (other == cell || !(other instanceof Cell found)) {
            throw new IllegalArgumentException(
                    "actor '" + cell.name() + "' can watch or be linked to another actor of "
                            + "this library only: " + other);
        }
        return found;
    }

    @Override
    public void stash() {
        turn();
        Stash.of(cell).stash();
    }

    @Override
    public void unstashAll() {
        turn();
        Stash.of(cell).unstashAll();
    }

    @Override
    @SuppressWarnings("unchecked") // the actor was sent it
    public Optional<M> dropOldestStashed() {
        turn();
        return Optional.ofNullable((M) Stash.of(cell).dropOldest());
    }

    @Override
    public void become(ContextHandler<M> handler) {
        replaceHandler("become", Objects.requireNonNull(handler, "handler"));
    }

    @Override
    public void becomeWithReturn(ContextReplyHandler<M, R> handler) {
        replaceHandler("becomeWithReturn", Objects.requireNonNull(handler, "handler"));
    }

    @Override
    public void unbecome() {
        replaceHandler("unbecome", null);
    }

    private void replaceHandler(String method, @Nullable Object handler) {
        turn();
        if (!cell.behavior().become(handler)) {
            throw new IllegalStateException(method + " cannot replace the handler of actor '" + cell.name()
                    + "' of scope '" + cell.spec.scope.name()
                    + "': become is for actors that give no answers, becomeWithReturn for actors that answer, and the"
                    + " handler of the actor has to get the context, or has to be made by a factory");
        }
    }

    @Override
    public void askExit() {
        turn();
        cell.setExitReason(Reason.EXIT);
    }

    @Override
    public Optional<Duration> timeLeft() {
        var ask = turn().deadline();
        return ask == null ? Optional.empty() : Optional.of(Duration.ofNanos(ask.nanosLeft()));
    }

    @Override
    public <T extends @Nullable Object> T withoutDeadline(Callable<T> code) throws Exception {
        var turn = turn();
        var deadline = turn.deadline();
        turn.deadline(null);
        try {
            return Objects.requireNonNull(code, "code").call();
        } finally {
            turn.deadline(deadline == null ? turn.deadline() : deadline.restored(turn.deadline()));
        }
    }

    @Override
    public DeferredReply<R> deferReply() {
        turn();
        StackReserve.require();
        return OpenReply.defer(cell);
    }

    @Override
    public boolean exitRequested() {
        return cell.exitRequested();
    }

    @Override
    public String toString() {
        return "ActorContext[" + cell.name() + "]";
    }
}
