package io.fibry;

import org.jspecify.annotations.Nullable;

/**
 * A receiving actor that answers, as its own code sees it. The code takes messages when it wants them, and replies to
 * them.
 *
 * <pre>{@code
 * Actor<String, String> echo = builder.newReceivingActorWithReturn((ReceivingReplyContext<String, String> inbox) -> {
 *     while (true) {
 *         var message = inbox.receive();
 *         inbox.reply(message);
 *     }
 * });
 * }</pre>
 *
 * <p>A message that is taken here is over when {@code receive} is called again, even if that finds nothing, or when the
 * handler ends. It counts as handled then, whatever happens later. By then an ask has to have its
 * reply, or its reply has to be {@linkplain #deferReply() deferred}. Otherwise the message counts as failed, the
 * failure is reported, and the answer fails with an {@link IllegalStateException}. The actor goes on, whatever its
 * failure policy is.
 *
 * <p>The message that the handler was called with is over when the handler ends. What the handler returns is the answer, unless
 * the handler has replied or has deferred the reply before it took a message.
 *
 * @param <M> type of the messages
 * @param <R> type of the answers
 */
public interface ReceivingReplyContext<M, R extends @Nullable Object>
        extends
            ActorContext<M, R>,
            SelectiveInbox<M> {
    /**
     * Answers the message that was taken last, until {@code receive} is called again; or, if none was taken so far, the message
     * that the handler was called with. The asker goes on at once. If the message was told, this method does nothing.
     *
     * @param value the answer
     * @return true if the asker gets this answer; false if the message was told, if it has an answer already, or if the asker
     *         does not wait any more
     * @throws IllegalStateException if a body has taken no message yet; if {@code receive} was called again since the message
     *         was taken, and has returned none; or if the message was asked as a {@linkplain Request
     *         request}, and the value is no reply to that very request
     */
    boolean reply(R value);
}
