package io.fibry;

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
}
