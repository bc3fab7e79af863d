package io.fibry.durable;

import io.fibry.ActorContext;
import io.fibry.keyed.KeyedActors;
import io.fibry.time.Schedule;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A durable actor as its handler sees it. It is used only while the handler runs, and only on its thread.
 *
 * <p>A turn is a transaction: its events, its messages to others, its reminders and the id of its message are written
 * together when the handler has returned, and its answer leaves after that.
 *
 * @param <S> type of the state
 * @param <E> type of the events
 * @param <M> type of the messages
 * @param <R> type of the answers
 */
public interface DurableContext<S, E, M, R extends @Nullable Object> {
    /** {@return the state, with all events of this turn so far} */
    S state();

    /** {@return how many turns of this key have been written} */
    long revision();

    /** {@return the key as text} */
    String key();

    /**
     * {@return the id of the message that is being handled, which an actor can pass on to others that do not want to
     * do a thing twice} It is the id that the program has given to the message, or else the one that an outbox or a
     * reminder has given to it. A message without an id has an empty one.
     */
    String messageId();

    /**
     * Adds an event. {@link #state()} is the new state at once. The event is written when the handler has returned, or by
     * {@link #flush()}.
     *
     * @param event the event
     */
    void persist(E event);

    /**
     * Writes the events, messages and reminders of the turn so far, and waits until they are durable. This is for a
     * handler that changes something outside which must not be changed before.
     *
     * @throws FencedException if another writer has written to this key
     * @throws InterruptedException if the thread was interrupted
     * @throws IllegalStateException if the message has an id: a repetition could then do one half twice or never
     */
    void flush() throws InterruptedException;

    /**
     * Sends a message to other durable actors, or to keyed actors that {@link Durable#reaches} has named. The message is
     * written with the turn, leaves when it is durable, and is repeated until it is answered. A durable actor handles it
     * once; others may get it more often.
     *
     * @param <T> type of the message
     * @param to the keyed actors
     * @param message the message
     * @throws IllegalArgumentException if these actors are not known to the store
     */
    <T> void send(KeyedActors<?, ? super T, ?> to, T message);

    /**
     * Sends a message to the actor of the same kind that has the key of the message, as {@link #send(KeyedActors, Object)}
     * does.
     *
     * @param message the message
     */
    void send(M message);

    /**
     * Sets a reminder: a message that this actor gets at a time, even if it, or the process, has ended meanwhile. If it
     * is late because there was no process, it comes when there is one. A reminder of the same name is replaced.
     *
     * @param name name of the reminder, unique for the key
     * @param at the time
     * @param message the message, which has the key of this actor
     */
    void remind(String name, Instant at, M message);

    /**
     * Sets a reminder that comes by a schedule: once, at a fixed rate, or by the calendar. After an outage, a
     * repeated reminder comes once, and not for each time that was missed.
     *
     * @param name name of the reminder, unique for the key
     * @param schedule when it comes; not with a fixed delay, and not for a number of times
     * @param message the message, which has the key of this actor
     */
    void remind(String name, Schedule schedule, M message);

    /**
     * Deletes a reminder, if it is there.
     *
     * @param name name of the reminder
     */
    void forget(String name);

    /**
     * Deletes the state and the reminders: the state is the first one again. Messages that this turn sends, and what it
     * does later, are kept. So is the past, for the time of {@link Durable#keepHistory}.
     */
    void delete();

    /**
     * {@return the actor as all actors see themselves} A durable turn ends when its handler returns, so {@link
     * ActorContext#deferReply()}, {@link ActorContext#stash()}, {@link ActorContext#become another handler} and what belongs
     * to them throw an {@link UnsupportedOperationException}.
     */
    ActorContext<?, ?> actor();
}
