package io.fibry.topic;

/**
 * Who delivers the messages of topics to handlers. The choice does not concern actors that subscribe: an actor gets its
 * messages from the thread that publishes, or from the actor that delivers, and handles them as all its other messages.
 *
 * <p>A handler never runs concurrently with itself. To handle several messages of one subscriber at a time, let its handler
 * send them to a {@link io.fibry.pool.WorkerPool}.
 *
 * <p>Handlers can be {@linkplain io.fibry.ActorBuilder#abandonStuck abandoned} with {@link #PER_SUBSCRIBER} only: otherwise
 * another thread runs them, and {@code subscribe} throws an {@link IllegalStateException}. A handler that ignores
 * interrupts and never ends keeps the thread that runs it; with {@link #ONE_ACTOR} and {@link #PER_TOPIC} the other
 * handlers of that actor then get no message any more.
 */
public enum Delivery {
    /**
     * The thread that publishes runs the handlers, one after another. If a handler is running already, on another thread
     * or further down on the same stack, its next message waits, and the thread that runs it handles that message. So a
     * handler may publish to its own topic. A thread that has run one handler for more than about a millisecond leaves
     * the messages that wait for it to a fiber.
     *
     * <p>A slow handler delays the publisher, and through it the handlers that come later. The thread that subscribes
     * runs the handler for the {@linkplain SubscriberOptions#withLast() last message}.
     */
    PUBLISHER,
    /**
     * One actor runs the handlers of all topics. No two of them run at a time, so they may share a state. A slow handler
     * delays all of them; publishers do not wait, unless the policy of the mailbox makes them.
     */
    ONE_ACTOR,
    /**
     * Each topic has an actor that runs its handlers. No two handlers that subscribe to the same topic by its name run at
     * a time. A slow handler delays those of its own topic. A subscriber of a pattern handles the {@linkplain
     * SubscriberOptions#withLast() last messages} with which it begins on the thread that subscribes.
     */
    PER_TOPIC,
    /** Each subscriber has an actor with a mailbox. A slow handler delays no other one. */
    PER_SUBSCRIBER
}
