package io.fibry;

import io.fibry.internal.run.Strategies;
import java.util.concurrent.Executor;

/**
 * Where an actor's turns run. Changing it changes the cost of an actor, never its meaning.
 *
 * <p>Writing one is a matter of one lambda:
 *
 * <pre>{@code
 * CreationStrategy mine = actor -> myExecutor;
 * }</pre>
 *
 * <p>Implementations are thread-safe.
 */
@FunctionalInterface
public interface CreationStrategy {
    /**
     * The executor that runs the turns of one new actor. It is asked once, when the actor is made, and
     * given one turn at a time: a task that handles waiting messages and returns. It may refuse a turn by
     * throwing: the waiting messages are then undelivered, and the next message tries again. Fibry does not
     * shut it down; if it is an {@link ActorExecutor}, it is told when the actor has stopped.
     *
     * @param actor the actor's name
     * @return the executor
     */
    Executor executorFor(String actor);

    /**
     * A platform thread for each actor, from its making to its stop, also if nobody refers to the actor any
     * more. The threads are daemons, as virtual threads are.
     *
     * @return the strategy
     */
    static CreationStrategy threads() {
        return Strategies.THREADS;
    }

    /**
     * A virtual thread while there are messages, and none while there are not. An idle actor that nobody
     * refers to is garbage. A message from one actor to another, idle one is handled on the sender's thread
     * once the sender's handler is done or waits; if that takes long, on a thread of its own. An ask by a virtual
     * thread that is no actor's may be handled where the one before it was. Handlers must
     * therefore not leave anything in thread-locals or in locks that they hold while they wait for an answer.
     * The system property {@code io.fibry.lanes=off} gives each such message a thread of its own.
     *
     * <p><b>Security:</b> an actor that is asked may run on the stack of the one that asks. It then sees the
     * {@code ScopedValue}s and thread-locals that are bound there, and enters locks that are held there; if it was busy at
     * that moment, it does not. A tenant or a permission must therefore be carried ({@link ContextCarrier}), be part of the
     * message, or the actor must have {@linkplain ActorBuilder#ownStack() a stack of its own}.
     *
     * @return the strategy
     */
    static CreationStrategy fibers() {
        return Strategies.FIBERS;
    }

    /**
     * At most {@code threads} platform threads for all actors of this strategy: for handlers that compute.
     * An actor that waits for another (an answer, a message, room in a mailbox) has its place taken by a
     * spare thread meanwhile (there can be 32,767 threads in all); one that blocks by other means keeps its thread. The threads end when they
     * have nothing to do.
     *
     * @param threads how many, at least one
     * @return the strategy, with a stop
     */
    static PoolStrategy pool(int threads) {
        return Strategies.pool(threads);
    }

    /**
     * Another strategy, but only so many of its turns run at a time. Others wait in order, and hold no thread. A turn that
     * waits for something in its handler keeps its place: actors that wait for each other need enough of them. All
     * actors made with one object of this share its places; {@code runByCallers()} has no effect on them.
     *
     * @param base where the turns run
     * @param running how many at a time, at least one
     * @return the strategy
     */
    static CreationStrategy limited(CreationStrategy base, int running) {
        return Strategies.limited(base, running);
    }

    /**
     * The sender's thread, if the actor is idle; else the thread that runs it already. Sending then takes as
     * long as the handler. An interrupt that the sender brings along is kept from the handler and given
     * back after it; one that comes meanwhile is the handler's. The handler sees what is bound on that thread, also if the
     * message was sent by somebody else while this sender's was handled: what says for whom it works must be carried
     * ({@link ContextCarrier}) or be part of the message. The body of a receiving actor runs as a fiber:
     * its maker could not go on otherwise.
     *
     * @return the strategy
     */
    static CreationStrategy caller() {
        return Strategies.CALLER;
    }

    /**
     * An executor of the user's. Fibry does not shut it down. Actors that wait for each other on the same
     * executor need enough threads there.
     *
     * @param executor the executor
     * @return the strategy
     */
    static CreationStrategy of(Executor executor) {
        return Strategies.of(executor);
    }
}
