package io.fibry;

import java.time.Duration;
import java.util.List;

/**
 * A receiving actor as its own code sees it. The code takes messages when it wants them, in the order that it wants.
 * Messages that are passed over keep their order, and later calls find them.
 *
 * <p>A message that is taken here counts as handled when the next message is taken or the handler ends. If the message was
 * an ask, the answer is then {@code null}: it says that the message was handled. An actor that is to answer is made with
 * {@link ActorBuilder#newReceivingActorWithReturn}, and has a {@link ReceivingReplyContext}.
 *
 * @param <M> type of the messages
 */
public interface ReceivingContext<M> extends ActorContext<M, Void>, SelectiveInbox<M> {
    /**
     * Takes further messages, the oldest first, to handle them together with those that the code works on already: the
     * message that was received last, or the message that the handler was called with. All of them are over at the
     * same time, when {@code receive} is called again or the handler ends, and have one fate: if the handler throws,
     * each of them has failed. The thread keeps the context of the message before.
     *
     * <pre>{@code
     * var rows = builder.<String>newReceivingActor((inbox, first) -> {
     *     var batch = new ArrayList<>(List.of(first));
     *     batch.addAll(inbox.receiveMore(99, Duration.ofMillis(20)));
     *     database.insert(batch);
     * });
     * }</pre>
     *
     * <p>The wait ends early if the actor is to stop, or to be restarted, so that the code can handle what it has.
     *
     * @param most how many messages to take
     * @param timeout how long to wait for them; if zero, only messages that have already arrived are taken
     * @return the messages, in the order in which they came; the list belongs to the caller
     * @throws IllegalArgumentException if the number is negative
     * @throws InterruptedException if the actor's stop was forced
     */
    List<M> receiveMore(int most, Duration timeout) throws InterruptedException;
}
