package io.fibry.internal.actor;

import io.fibry.event.Failed;
import io.fibry.internal.report.ContentClass;
import io.fibry.message.SendSite;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Completes the deferred reply of a message when the stage completes that its handler has returned. The stage refers to
 * this object, which refers to the reply. So if the program loses the stage, the reply is lost, and the ask fails.
 */
public final class StageAnswer implements BiConsumer<@Nullable Object, @Nullable Throwable> {
    private final ReplyHandle<@Nullable Object> reply;
    private final Cell cell;
    private final Class<?> message;
    private final @Nullable SendSite sentFrom;

    private StageAnswer(ReplyHandle<@Nullable Object> reply, Cell cell, Class<?> message,
            @Nullable SendSite sentFrom) {
        this.reply = reply;
        this.cell = cell;
        this.message = message;
        this.sentFrom = sentFrom;
    }

    /**
     * Defers the reply to a message until a stage completes. Called by the handler of the message. If the handler has put
     * the message aside, what it returns is ignored: the message is handled again.
     */
    public static void defer(Cell cell, Object message,
            @Nullable CompletionStage<? extends @Nullable Object> stage) {
        if (cell.extendedState().keeper instanceof Stash stash && stash.isPending()) {
            return;
        }
        if (stage == null) {
            throw new NullPointerException("the handler of actor '" + cell.name()
                    + "' has returned null for a message of " + ContentClass.nameOf(message)
                    + "; return a stage, for example CompletableFuture.completedFuture(null)");
        }
        var reply = (ReplyHandle<@Nullable Object>) Context.of(cell).deferReply();
        var sentFrom = cell.extendedState().sentFrom;
        stage.whenComplete(new StageAnswer(reply, cell, message.getClass(), sentFrom));
    }

    @Override
    public void accept(@Nullable Object value, @Nullable Throwable failure) {
        if (failure == null) {
            try {
                reply.complete(value);
            } catch (IllegalStateException noReplyToTheRequest) {
                fail(noReplyToTheRequest);
            }
        } else {
            // A stage that depends on others wraps what they have failed with.
            var cause = failure instanceof CompletionException ? failure.getCause() : null;
            fail(cause == null ? failure : cause);
        }
    }

    /** The failure of a stage is that of the answer, not of the actor. If no thread waits for the answer, it is reported. */
    private void fail(Throwable failure) {
        reply.fail(failure);
        if (!reply.open().isAsked()) {
            var failed = Failed.onMessage(cell.name(), message, failure);
            cell.report(sentFrom == null ? failed : failed.sentFrom(sentFrom));
        }
    }
}
