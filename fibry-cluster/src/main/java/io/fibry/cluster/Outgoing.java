package io.fibry.cluster;

import io.fibry.cluster.home.Letter;
import io.fibry.message.DeferredReply;
import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way to the home of its key, as its sender knows it.
 *
 * <p>The sender's thread fills it in and gives it to the actor of the member, which alone uses what is not final.
 */
final class Outgoing {
    final GroupSender<?, ?, ?> sender;
    final Object message;
    final LetterBody body;
    final int slice;
    /** The time limit; empty if there is none. */
    final Optional<Duration> limit;
    /** The fate, if it is wanted. */
    final CompletableFuture<MessageFate> fate = new CompletableFuture<>();
    @Nullable Letter letter;
    @Nullable DeferredReply<@Nullable Object> reply;
    /** Whether the sender has been told the fate or the answer. */
    boolean isOver;

    Outgoing(GroupSender<?, ?, ?> sender, Object message, LetterBody body, int slice,
            Optional<Duration> limit) {
        this.sender = sender;
        this.message = message;
        this.body = body;
        this.slice = slice;
        this.limit = limit;
    }

    /** How much room it takes. */
    int size() {
        return body.size() + 128;
    }

    /** Gives an ask its answer. */
    void complete(@Nullable Object value) {
        if (reply != null) {
            var unused = reply.complete(value);
        }
    }

    /** Fails an ask. */
    void fail(Throwable failure) {
        if (reply != null) {
            var unused = reply.fail(failure);
        }
    }

    boolean isAsk() {
        return body.want() == LetterBody.Want.ANSWER || body.want() == LetterBody.Want.REPLY;
    }
}
