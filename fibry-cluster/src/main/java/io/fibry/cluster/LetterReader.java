package io.fibry.cluster;

import io.fibry.MailboxFullException;
import io.fibry.Recipient;
import io.fibry.Request;
import io.fibry.cluster.LetterBody.Want;
import io.fibry.cluster.home.HomeDelivery;
import io.fibry.cluster.stream.Verdict;
import io.fibry.event.Undelivered.Cause;
import io.fibry.message.MessageFate;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads what has come for a group, and gives it to those who handle it, in the way that its sender wants. */
final class LetterReader<M, R> {
    private static final Logger LOGGER = LoggerFactory.getLogger(Cluster.class);

    private final GroupCodec<?, M, R> codec;
    private final LetterContext context;
    private final DeliveredAsks asks;

    /**
     * A letter that was read.
     *
     * @param id the id of the message; empty if it has none
     */
    record Read<M>(Want want, Map<String, Map<String, String>> context, String id, M message) {
    }

    LetterReader(GroupCodec<?, M, R> codec, LetterContext context, DeliveredAsks asks) {
        this.codec = codec;
        this.context = context;
        this.asks = asks;
    }

    Read<M> read(byte[] bytes) {
        var body = LetterBody.of(bytes);
        return new Read<>(body.want(), LetterContext.read(body.context()), body.id(),
                codec.message(body.message()));
    }

    /** Reads a letter that has no key; empty if it cannot be read, so that it was refused. */
    Optional<Read<M>> readOrRefuse(HomeDelivery delivery) {
        try {
            return Optional.of(read(delivery.body()));
        } catch (Throwable notUnderstood) { // the constructors of messages are the program's
            refuse(delivery, notUnderstood);
            return Optional.empty();
        }
    }

    /** Refuses a letter that cannot be read. */
    void refuse(HomeDelivery delivery, Throwable notUnderstood) {
        asks.settle(delivery, Verdict.NOT_UNDERSTOOD);
        var failure = AnswerBody.failure(notUnderstood);
        LOGGER.warn("A message from node '{}' to the group '{}' was refused: {}: {}", asks.nameOf(delivery),
                asks.group(), failure.className(), failure.message());
    }

    /**
     * Gives a message to a recipient, if its sender has not cancelled it.
     *
     * @param taken the message as the recipient takes it
     * @param handler who handles it, in reports
     * @param refusal tells why the recipient has not taken it
     */
    void give(HomeDelivery delivery, Read<M> letter, M taken, Recipient<M, R> to, Supplier<String> handler,
            Supplier<Verdict> refusal) {
        if (asks.isCancelled(delivery)) {
            asks.settle(delivery, Verdict.TAKEN); // it has its fate, so its sender is told nothing more
            return;
        }
        context.around(letter.context, () -> {
            try {
                switch (letter.want) {
                    // mutant: message-without-room-is-acknowledged
                    case TELL -> asks.settle(delivery,
                            tell(delivery, letter.message, to) ? Verdict.TAKEN : refusal.get());
                    case ANSWER, IDENTIFIED -> answerLater(delivery, handler,
                            DeliveredAsks.isLimited(delivery)
                                    ? to.ask(taken, asks.limit(delivery))
                                    : to.sendMessageReturn(taken));
                    case REPLY -> request(delivery, handler, letter.message, to);
                    case FATE -> track(delivery, letter.message, to);
                }
            } catch (MailboxFullException full) {
                asks.settle(delivery, Verdict.FULL);
            }
        });
    }

    /** Runs code with the context of a letter. */
    void around(Read<M> letter, Runnable code) {
        context.around(letter.context, code);
    }

    private boolean tell(HomeDelivery delivery, M message, Recipient<M, R> to) {
        // mutant: message-is-acknowledged-before-it-is-in-the-mailbox
        return DeliveredAsks.isLimited(delivery) ? to.sendMessage(message, asks.limit(delivery))
                : to.sendMessage(message);
    }

    private void track(HomeDelivery delivery, M message, Recipient<M, R> to) {
        var fate = DeliveredAsks.isLimited(delivery)
                ? to.sendTracked(message, asks.limit(delivery))
                : to.sendTracked(message);
        var refused =
                fate.state() == Future.State.SUCCESS ? refusal(fate.resultNow()) : Optional.<Verdict>empty();
        if (refused.isPresent()) {
            asks.settle(delivery, refused.get());
            return;
        }
        asks.settle(delivery, Verdict.TAKEN);
        var unused = fate.whenComplete((known, failure) -> asks.answer(delivery,
                known == null ? AnswerBody.failure(failure) : body(known)));
    }

    /** Returns why a message has not come to its recipient; empty if it has. */
    private static Optional<Verdict> refusal(MessageFate fate) {
        return switch (fate) {
            case MessageFate.Refused refused -> Optional.of(verdict(refused.cause()));
            case MessageFate.Undelivered lost -> Optional.of(verdict(lost.cause()));
            case MessageFate.Dropped lost -> Optional.empty();
            case MessageFate.Handled handled -> Optional.empty();
            case MessageFate.Failed failed -> Optional.empty();
            case MessageFate.Expired expired -> Optional.empty();
        };
    }

    private static Verdict verdict(Cause cause) {
        return cause == Cause.FULL ? Verdict.FULL : Verdict.STOPPED;
    }

    /** Returns a fate as an answer. */
    static AnswerBody body(MessageFate fate) {
        return switch (fate) {
            case MessageFate.Handled handled -> new AnswerBody.Nothing();
            case MessageFate.Failed failed -> AnswerBody.failure(failed.cause());
            case MessageFate.Expired expired -> new AnswerBody.Expired();
            case MessageFate.Dropped lost -> notHandled(lost.cause(), lost.why());
            case MessageFate.Refused lost -> notHandled(lost.cause(), lost.why());
            case MessageFate.Undelivered lost -> notHandled(lost.cause(), lost.why());
        };
    }

    private static AnswerBody notHandled(Cause cause, Throwable why) {
        return new AnswerBody.NotHandled(cause.name(), String.valueOf(why.getMessage()));
    }

    private void request(HomeDelivery delivery, Supplier<String> handler, M message, Recipient<M, R> to) {
        if (message instanceof Request<?> request) {
            answerLater(delivery, handler,
                    DeliveredAsks.isLimited(delivery) ? to.request(request, asks.limit(delivery))
                            : to.request(request));
        } else {
            asks.settle(delivery, Verdict.NOT_UNDERSTOOD);
        }
    }

    private void answerLater(HomeDelivery delivery, Supplier<String> handler, CompletableFuture<?> answer) {
        asks.take(delivery, handler, answer, this::value);
    }

    private AnswerBody value(@Nullable Object value) {
        try {
            return codec.answer(value);
        } catch (Throwable cannotCross) { // the program's code runs while it is written
            var failure = AnswerBody.failure(cannotCross);
            LOGGER.warn("An answer of the group '{}' cannot cross: {}: {}", asks.group(), failure.className(),
                    failure.message());
            return failure;
        }
    }
}
