package io.fibry;

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
 * An actor as its own handler sees it. A context is not thread-safe: a program uses it only while a handler of that actor
 * runs, and only on the thread of that handler. {@link #self()} may be handed to other threads.
 *
 * @param <M> type of the messages
 * @param <R> type of the answers
 */
public interface ActorContext<M, R extends @Nullable Object> {
    /**
     * Returns the handle of the actor, which may be handed to other actors and threads.
     *
     * @return the actor
     */
    Actor<M, R> self();

    /**
     * Returns the scope in which the actor was made.
     *
     * @return the scope
     */
    ActorScope scope();

    /**
     * Returns the timers of this actor. They send messages to the actor and end with it.
     *
     * @return the actor's timers
     */
    Timers<M> timers();

    /**
     * Returns how much time is left for the message that is being handled, if that is an ask with a time limit. When the
     * time is over, the handler's own asks and its waits for answers end by themselves. A handler can look at the time
     * left to cut other work short.
     *
     * @return the time left, zero if it is over; empty if there is no limit
     */
    Optional<Duration> timeLeft();

    /**
     * Runs code without the time limit of the message that is being handled, for instance to clean up after the time is
     * over. In the code {@link #timeLeft()} is empty, and an ask has only the time limit that it is given.
     *
     * @param <T> type of the result
     * @param code what to run, at once and on this thread
     * @return the result of the code
     * @throws Exception if the code throws it
     */
    <T extends @Nullable Object> T withoutDeadline(Callable<T> code) throws Exception;

    /**
     * Returns a builder for children of this actor. Children are made in the scope of their parent, with the defaults of
     * that scope. When the parent stops or is restarted, its children stop first, the youngest before the others; the
     * exit hooks of the parent run after that. If a child {@linkplain FailurePolicy#escalate() escalates} its failure,
     * the parent fails. Once the end of the parent has begun, making a child throws an {@link IllegalStateException}.
     *
     * @return the builder
     */
    ActorBuilder child();

    /**
     * Returns a builder for a child of this actor that has a name. The name is unique in the scope while the child lives.
     *
     * @param name the name
     * @return the builder
     * @see #child()
     */
    ActorBuilder child(String name);

    /**
     * Sends this actor one message when another actor has stopped. If the other actor has stopped already, the message is
     * sent at once. The message is sent even if the mailbox is full. A second watch of the same actor replaces the first
     * one. A watch ends when its message is handled, when this actor stops, and when this actor is restarted.
     *
     * @param other the actor to watch
     * @param notice makes the message, inside this actor
     */
    void watch(Actor<?, ?> other, Function<? super Stopped, ? extends M> notice);

    /**
     * Ends a watch. After that the message of the watch is not handled, even if it is in the mailbox already.
     *
     * @param other the actor that is watched
     * @return true if the actor was watched and the message had not been handled
     */
    boolean unwatch(Actor<?, ?> other);

    /**
     * Links this actor and another actor. If one of them {@linkplain Stopped.Reason#isAbnormal() ends abnormally}, or has
     * done so already, the other one is stopped after its current message, for the reason {@link Stopped.Reason#LINKED}.
     * An actor that {@linkplain #watch watches} the one that has ended is not stopped; it gets the message of its
     * watch. A link outlives restarts.
     *
     * @param other the other actor
     */
    void link(Actor<?, ?> other);

    /**
     * Removes a link, whichever of the two actors made it.
     *
     * @param other the other actor
     */
    void unlink(Actor<?, ?> other);

    /**
     * Puts the message that is being handled aside. It is handled later, as if it had come later: after
     * {@link #unstashAll()}, or after a restart. The handler goes on to its end, and what it returns is ignored. If it
     * throws, the message has failed and is not put aside. An ask that is put aside stays open, its time limit runs on,
     * and it can be cancelled. The messages that are put aside when the actor stops are undelivered.
     *
     * <p>A message of a timer that was put aside is handled even if the timer has been cancelled since.
     *
     * @throws IllegalStateException if the actor was built without {@link ActorBuilder#stash(int)}, if as many messages
     *     are put aside as it allows, or if this message is put aside already
     */
    void stash();

    /**
     * Puts all messages that were put aside back in front of the mailbox, in the order in which they were put aside. They
     * are handled next, before those that wait in the mailbox, whatever its bound; while they fill the mailbox, it is
     * full for senders. If this method is called after {@link #stash()}, the message that is being handled is the last
     * of them.
     *
     * @throws IllegalStateException if the actor was built without {@link ActorBuilder#stash(int)}
     */
    void unstashAll();

    /**
     * Drops the message that was put aside first, to make room for another one: it is counted and reported as dropped, and
     * an ask fails with a {@link MailboxFullException}.
     *
     * @return the message; empty if no message is put aside, or if it was an ask that was over; its place is free then, too
     * @throws IllegalStateException if the actor was built without {@link ActorBuilder#stash(int)}
     */
    Optional<M> dropOldestStashed();

    /**
     * Replaces the handler of the actor from the next message on. The actor must have been made with a handler that gets
     * the context and gives no answers, or with a factory of handlers that give no answers. A restart brings back the
     * first handler, or makes a new one; a failure without a restart does not. A replaced handler is closed when it would
     * have been closed anyway; the new handler is never closed.
     *
     * @param handler handles the next messages
     * @throws IllegalStateException if the handler of this actor cannot be replaced by this one
     */
    void become(ContextHandler<M> handler);

    /**
     * Replaces the handler of an actor that answers, as {@link #become} does for an actor that gives no answers.
     *
     * @param handler handles the next messages
     * @throws IllegalStateException if the handler of this actor cannot be replaced by this one
     */
    void becomeWithReturn(ContextReplyHandler<M, R> handler);

    /**
     * Brings back, from the next message on, the handler that the actor was made with. If that handler was not replaced,
     * this method has no effect.
     *
     * @throws IllegalStateException if the handler of this actor cannot be replaced
     */
    void unbecome();

    /**
     * Takes the reply to the message that is being handled away from the handler, so that it can be made later and by any
     * thread. What the handler returns is then ignored, and the actor goes on with other messages. If the handler
     * throws, the ask fails with what it has thrown, as it always does.
     *
     * <pre>{@code
     * Actor<Query, Result> actor = builder.newActorWithReturn((context, query) -> {
     *     var reply = context.deferReply();
     *     backend.fetch(query, reply::complete, reply::fail);
     *     return null; // ignored
     * });
     * }</pre>
     *
     * <p>A second call for the same message returns the same reply. If the message was told, nobody gets the reply.
     * {@link DeferredReply} describes what else can end the wait of the asker.
     *
     * @return the reply; hand it to other threads as you like, and keep it until it is completed
     * @throws IllegalStateException if no handler of the actor runs on the calling thread, or what runs there belongs to no
     *     single message: a hook, a factory, or code that was given to the actor
     */
    DeferredReply<R> deferReply();

    /**
     * Asks the actor to exit, as {@link Actor#askExit()} does: the actor stops after the message that it is handling, and
     * the queued messages become undelivered. This method returns at once; the handler goes on to its end.
     */
    void askExit();

    /**
     * Tells whether the actor stops after the message that it is handling, so that a handler that runs for long can
     * return early. It does so after {@link Actor#askExit()} or {@link #askExit()}, after a forced stop, when the end of
     * its parent or of a linked actor ends it, and in an exit hook. While a {@linkplain Actor#sendPoisonPill() poison
     * pill} is queued this method returns false, since the messages before the pill are still handled; {@link
     * Actor#stop(Duration)} and {@link Actor#close()} send a pill first.
     *
     * @return true if the actor handles no further message
     */
    boolean exitRequested();
}
