package io.fibry;

import io.fibry.event.Stopped;
import io.fibry.time.Timers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An actor seen from inside its handler. It belongs to the handler: use it only while a handler of that
 * actor runs, on that handler's thread.
 *
 * @param <M> type of the messages
 * @param <R> type of the answers
 */
public interface ActorContext<M, R extends @Nullable Object> {
    /**
     * The actor itself, free to be handed to others.
     *
     * @return the actor
     */
    Actor<M, R> self();

    /**
     * The scope the actor was made in.
     *
     * @return the scope
     */
    ActorScope scope();

    /**
     * Timers that send messages to this actor and end with it.
     *
     * @return the actor's timers
     */
    Timers<M> timers();

    /**
     * What is left of the time for the message in work, if it is an ask that must be answered in time. Whatever the
     * handler asks other actors, and its waits for answers, end with that time by themselves; other work it may want
     * to cut short.
     *
     * @return the time, zero if it is over; empty if nobody has set a limit
     */
    Optional<Duration> timeLeft();

    /**
     * Runs code that is to be done though the time for the message in work may be over: in it {@link #timeLeft()} is
     * empty, and what is asked there has only the limits it is given there.
     *
     * @param <T> type of the result
     * @param code what to run; at once, on this thread
     * @return its result
     * @throws Exception if the code throws it
     */
    <T extends @Nullable Object> T withoutDeadline(Callable<T> code) throws Exception;

    /**
     * A builder for children of this actor. A child stops before its parent does, before that one's exit hooks, the
     * youngest first; and when its parent is restarted. If it {@linkplain FailurePolicy#escalate() escalates} its
     * failure, its parent fails. Children are made in the parent's scope, with that one's defaults, and live until
     * they or their parent stop. Once the end of the parent has begun making one throws an {@link IllegalStateException}.
     *
     * @return the builder
     */
    ActorBuilder child();

    /**
     * A builder for a child of this actor that has a name, which is unique in the scope while the child lives.
     *
     * @param name the name
     * @return the builder
     * @see #child()
     */
    ActorBuilder child(String name);

    /**
     * Sends this actor a message when another one has stopped: once, at once if it has stopped already, and also if
     * the mailbox is full. If it watches that one already, this takes the place of the earlier watch. A watch ends
     * when its message is handled, when this actor stops, and when it is restarted.
     *
     * @param other whom to watch
     * @param notice makes the message, inside this actor
     */
    void watch(Actor<?, ?> other, Function<? super Stopped, ? extends M> notice);

    /**
     * Ends a watch. No message of it is handled after that, also if it is in the mailbox already.
     *
     * @param other who is watched
     * @return true if it was watched and its message had not been handled
     */
    boolean unwatch(Actor<?, ?> other);

    /**
     * Links this actor and another one: if either {@linkplain Stopped.Reason#isAbnormal() ends abnormally}, or has
     * done so already, the other is stopped after its current message, for the reason {@link Stopped.Reason#LINKED}.
     * An actor that {@linkplain #watch watches} the one that has ended gets its message instead. A link outlives
     * restarts.
     *
     * @param other the other one
     */
    void link(Actor<?, ?> other);

    /**
     * Takes a link back, whoever made it.
     *
     * @param other the other one
     */
    void unlink(Actor<?, ?> other);

    /**
     * Asks the actor to exit, as {@link Actor#askExit()} does: the actor stops after the message that it is handling, and
     * the queued messages become undelivered. This method returns at once; the handler goes on to its end.
     */
    void askExit();

    /**
     * Tells whether the actor stops after the message that it is handling, so that a handler that runs for long can
     * return early. It does so after {@link Actor#askExit()} or {@link #askExit()}, after a forced stop, when the end of
     * its parent or of a linked actor ends it, and in an exit hook. While a {@linkplain Actor#sendPoisonPill() poison pill}
     * is queued this method returns false, since the messages before the pill are still handled;
     * {@link Actor#stop(Duration)} and {@link Actor#close()} send a pill first.
     *
     * @return true if the actor handles no further message
     */
    boolean exitRequested();
}
