package io.fibry;

import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A bounded mailbox that several actors share. A message waits there until it is handed over to one of the
 * actors. From then on the message belongs to that actor, which handles it, answers it and counts it. What is refused,
 * dropped or never handed over is counted and reported by the mailbox. So each message has one fate, and is in one count.
 *
 * <pre>{@code
 * SharedMailbox<Job, Void> jobs = Stereotypes.with(scope.named("jobs")
 *         .mailbox(MailboxPolicy.bounded(1_000, OverflowPolicy.reject()))).sharedMailbox();
 * jobs.sendMessage(job);
 * jobs.handOver(message -> Optional.of(worker));
 * }</pre>
 *
 * <p>{@link Stereotypes#sharedMailbox()} makes it, and {@code io.fibry.pool.WorkerPool} is built on it. It has a name, and
 * is listed in its scope as an actor without a handler and without a thread. The stop of the scope waits until its
 * messages have been handed over, and it ends with the scope. Meanwhile messages from outside are refused.
 *
 * <p>Shared mailboxes are thread-safe. What a thread does before it sends a message <i>happens-before</i> the handler
 * receives the message, whatever thread hands it over.
 *
 * @param <M> type of the messages
 * @param <R> type of the answers; {@link Void} if there are none
 */
public interface SharedMailbox<M, R extends @Nullable Object> extends Recipient<M, R>, AutoCloseable {
    /** The outcome of a call that hands the oldest message over. */
    enum HandOver {
        /** An actor has it. */
        HANDED,
        /** No message waits. */
        EMPTY,
        /** The function has chosen no actor. The message is still the oldest one. */
        LEFT,
        /** The actor that was chosen has ended, or is about to. The message is still the oldest one. */
        ENDED
    }

    /**
     * Hands the oldest message over to an actor. The message comes after those that wait for that actor. The bound of that
     * actor's mailbox does not apply. The handler never runs on the calling thread, whatever the strategy is.
     *
     * <p>Messages that are over, since their askers have cancelled them for example, are skipped. Several threads may
     * call this method at the same time. They then hand over different messages, in no particular order; a program that
     * needs the order makes these calls one after another.
     *
     * @param chooser chooses the actor for the message, which the library has made; called on this thread, and once
     *     more if the message turns out to be over. If it throws, the message stays the oldest one, and the exception is
     *     thrown here
     * @return what has become of the message
     */
    HandOver handOver(Function<? super M, Optional<Actor<M, R>>> chooser);

    /**
     * Lets an actor take messages from this mailbox itself whenever it has handled all its own, as if they had been handed over
     * to it, and call code when it has none left. Both run inside the actor, on the thread of its turn, and are to take little
     * time and not wait. What the code throws is reported as a failure of the part {@link io.fibry.event.Failed.Part#IDLE}, and
     * changes nothing else. A second call for the same actor replaces the first one.
     *
     * <p>The code may hand a message over to the actor, which then goes on with it; otherwise the actor becomes idle. If the
     * code returns true, the actor looks for messages once more, and calls the code again if there are none. All messages that
     * other threads had handed over to the actor before the first call have been handled by the second one.
     *
     * @param actor the actor, which the library has made; call this method before messages are sent to it
     * @param mayTake tells whether the actor may take a message now
     * @param whenIdle what to call if there is no message, or if the actor may not take one
     */
    void takenBy(Actor<M, R> actor, BooleanSupplier mayTake, BooleanSupplier whenIdle);

    /**
     * Lets the mailbox call code after each message that is sent to it, on the thread of the sender. The code is to hand
     * messages over, take little time and not wait. If the sender, or an actor that calls its code of {@link #takenBy}, has
     * too little stack left for that, the code is called once more on another thread. Any other exception of the code
     * is reported, like an exception of the code of {@code takenBy}, and is not thrown to the sender. A second call
     * replaces the code.
     *
     * @param code what to call; call this method before messages are sent
     */
    void whenWaiting(Runnable code);

    /**
     * Tells the mailbox which actors take its messages, so that cycles of waits through the mailbox are found: if an actor
     * is about to wait for a message of this mailbox, and all these actors wait for it, directly or through others, it gets an
     * {@link AskCycleException}. Without this, or while the result is empty, it waits. A second call replaces the code.
     *
     * @param actors returns all actors to which messages are handed over, now or later; empty if that is not known, for
     *     instance since another one may be made. It is called on threads that are about to wait. It is to take little
     *     time and must not wait. If it throws, the actors are not known
     */
    void servedBy(Supplier<Optional<List<Actor<M, R>>>> actors);

    /**
     * Returns how many messages wait to be handed over. The number is exact while nothing moves.
     *
     * @return the number
     */
    int waiting();

    /**
     * Tells whether the mailbox refuses messages from outside of its scope, or all messages, since its scope is being
     * closed or it has ended itself.
     *
     * @return true if it does
     */
    boolean isClosing();

    /**
     * Returns the counts of what the mailbox has refused, dropped, or kept until its end. What was handed over is not
     * among them; it is in those of the actors.
     *
     * @return the counts
     */
    Counters counters();

    /** Ends the mailbox. The messages that wait are undelivered, and later ones are refused. */
    @Override
    void close();
}
