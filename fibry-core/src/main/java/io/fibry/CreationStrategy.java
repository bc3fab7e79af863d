package io.fibry;

import io.fibry.internal.run.Strategies;
import java.util.concurrent.Executor;

/**
 * Decides where the turns of an actor run. Another strategy changes the cost of an actor, never its meaning.
 *
 * <p>A strategy can be written as a lambda:
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
     * Returns the executor that runs the turns of a new actor. The method is called once, when the actor is made. The
     * executor gets one turn at a time: a task that handles waiting messages and returns. The executor may refuse a
     * turn by throwing. The waiting messages are then undelivered, and the next message tries again. Fibry does not
     * shut the executor down. If it is an {@link ActorExecutor}, it is told when the actor has stopped.
     *
     * @param actor the name of the actor
     * @return the executor
     */
    Executor executorFor(String actor);

    /**
     * Returns the strategy that gives each actor a platform thread. The thread starts with the first message, or
     * with the body of the actor, and ends when the actor stops, even if nothing refers to the actor any more. The
     * threads are daemons, as virtual threads are.
     *
     * @return the strategy
     */
    static CreationStrategy threads() {
        return Strategies.THREADS;
    }

    /**
     * Returns the strategy that gives an actor a virtual thread while it has messages, and none while it has not. An
     * idle actor to which nothing refers is garbage. If an actor sends a message to an idle actor, the message is
     * handled on the thread of the sender after the handler of the sender has ended or while it waits; if that takes
     * long, the message is handled on a thread of its own. An ask by a virtual thread that runs no actor may be handled
     * on the thread that has handled the previous ask. Therefore handlers must not leave anything in thread-locals, or
     * in locks that they hold while they wait for an answer. The system property {@code io.fibry.lanes=off} gives each
     * such message a thread of its own.
     *
     * <p><b>Security:</b> an actor that is asked may run on the stack of the actor that asks. It then sees the {@code
     * ScopedValue}s and thread-locals that are bound there, and enters locks that are held there. If it is busy at that
     * moment, it does not. A tenant or a permission must therefore be carried ({@link ContextCarrier}), or be part of
     * the message, or the actor must have {@linkplain ActorBuilder#ownStack() a stack of its own}.
     *
     * @return the strategy
     */
    static CreationStrategy fibers() {
        return Strategies.FIBERS;
    }

    /**
     * Returns a new strategy with at most {@code threads} platform threads for all its actors. It is meant for handlers
     * that compute. While an actor waits for an answer, for a message or for space in a mailbox, a spare thread takes
     * its place; there can be 32,767 threads in all. An actor that blocks in another way keeps its thread. The threads
     * end when they have nothing to do, so the strategy need not be closed.
     *
     * @param threads the number of threads, at least one
     * @return the strategy
     */
    static CreationStrategy pool(int threads) {
        return Strategies.pool(threads);
    }

    /**
     * Returns a strategy that lets only a limited number of turns of another strategy run at a time. The other turns
     * wait in order, and hold no thread. A turn that waits for something in its handler keeps its place, so actors that
     * wait for each other need enough places. All actors that are made with the returned object share its places.
     * {@code runByCallers()} has no effect on them.
     *
     * @param base decides where the turns run
     * @param running how many turns may run at a time, at least one
     * @return the strategy
     */
    static CreationStrategy limited(CreationStrategy base, int running) {
        return Strategies.limited(base, running);
    }

    /**
     * Returns the strategy that runs an actor on the thread of the sender if the actor is idle, and otherwise on the
     * thread that runs the actor already. A send then takes as long as the handler. If the sender is interrupted before
     * the handler begins, the handler does not see the interrupt; the sender gets it back after the handler. An
     * interrupt that comes later goes to the handler. The handler sees what is bound on the thread on which it runs,
     * even if another thread has sent the message meanwhile. So the data that tells for whom the handler works must be
     * carried ({@link ContextCarrier}) or be part of the message. The body of a receiving actor runs as a fiber, since
     * its maker could not go on otherwise.
     *
     * @return the strategy
     */
    static CreationStrategy caller() {
        return Strategies.CALLER;
    }

    /**
     * Returns a strategy with an executor of the program. Fibry does not shut the executor down. Actors that wait for
     * each other on the same executor need enough threads there.
     *
     * @param executor the executor
     * @return the strategy
     */
    static CreationStrategy of(Executor executor) {
        return Strategies.of(executor);
    }
}
