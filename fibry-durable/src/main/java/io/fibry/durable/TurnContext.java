package io.fibry.durable;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.event.Stopped;
import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.message.DeferredReply;
import io.fibry.time.Timers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The plain context of an actor, for the handler of a durable one. It refuses calls that would end the turn in another
 * way than by the return of the handler: the turn is written at the return, and its row could not have a later answer.
 */
final class TurnContext<M, R extends @Nullable Object> implements ActorContext<M, R> {
    private final ActorContext<M, R> actor;
    private final String who;

    /** @param who the name of the actor in the text of a refusal */
    TurnContext(ActorContext<M, R> actor, String who) {
        this.actor = actor;
        this.who = who;
    }

    private UnsupportedOperationException refusal(String call, String instead) {
        return new UnsupportedOperationException(
                call + " of the durable actor " + who + ": its turn ends when its handler returns; "
                        + instead);
    }

    @Override
    public DeferredReply<R> deferReply() {
        throw refusal("deferReply()", "let the handler wait for its answer, or send what comes later as"
                + " another message");
    }

    @Override
    public void stash() {
        throw refusal("stash()", "persist what is to be done later, and let another message do it");
    }

    @Override
    public void unstashAll() {
        throw refusal("unstashAll()", "no message can have been put aside");
    }

    @Override
    public Optional<M> dropOldestStashed() {
        throw refusal("dropOldestStashed()", "no message can have been put aside");
    }

    @Override
    public void become(ContextHandler<M> handler) {
        throw otherHandler("become(...)");
    }

    @Override
    public void becomeWithReturn(ContextReplyHandler<M, R> handler) {
        throw otherHandler("becomeWithReturn(...)");
    }

    @Override
    public void unbecome() {
        throw otherHandler("unbecome()");
    }

    private UnsupportedOperationException otherHandler(String call) {
        return refusal(call,
                "a restart would not bring another handler back: let the one handler act by the"
                        + " state");
    }

    @Override
    public Actor<M, R> self() {
        return actor.self();
    }

    @Override
    public ActorScope scope() {
        return actor.scope();
    }

    @Override
    public Timers<M> timers() {
        return actor.timers();
    }

    @Override
    public Optional<Duration> timeLeft() {
        return actor.timeLeft();
    }

    @Override
    public <T extends @Nullable Object> T withoutDeadline(Callable<T> code) throws Exception {
        return actor.withoutDeadline(code);
    }

    @Override
    public ActorBuilder child() {
        return actor.child();
    }

    @Override
    public ActorBuilder child(String name) {
        return actor.child(name);
    }

    @Override
    public void watch(Actor<?, ?> other, Function<? super Stopped, ? extends M> notice) {
        actor.watch(other, notice);
    }

    @Override
    public boolean unwatch(Actor<?, ?> other) {
        return actor.unwatch(other);
    }

    @Override
    public void link(Actor<?, ?> other) {
        actor.link(other);
    }

    @Override
    public void unlink(Actor<?, ?> other) {
        actor.unlink(other);
    }

    @Override
    public void askExit() {
        actor.askExit();
    }

    @Override
    public boolean exitRequested() {
        return actor.exitRequested();
    }

    @Override
    public String toString() {
        return actor.toString();
    }
}
