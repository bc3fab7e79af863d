package io.fibry.internal.reply;

import io.fibry.internal.actor.Deferral;
import io.fibry.internal.memory.StackReserve;
import io.fibry.message.DeferredReply;
import java.lang.ref.Reference;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A deferred reply as its user sees it. Only the user refers to this object, apart from the turn while the handler
 * runs. So when it is unreachable, no program can complete it any more: see {@link OpenReply}.
 */
public final class ReplyHandle<R extends @Nullable Object> implements DeferredReply<R>, Deferral.Handle {
    private final OpenReply open;

    ReplyHandle(OpenReply.Maker maker) {
        open = maker.make(this);
    }

    @Override
    public OpenReply open() {
        return open;
    }

    // A thread that completes the reply may hold the last reference to this object. The two methods that do so keep the object
    // reachable to their end: otherwise the reply could count as lost while it is being completed. The others decide nothing.

    @Override
    public boolean complete(R value) {
        StackReserve.require();
        try {
            return open.complete(value);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public boolean fail(Throwable cause) {
        Objects.requireNonNull(cause, "cause");
        StackReserve.require();
        try {
            return open.failWith(cause);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** The stage refers to this object, which refers to the handle. So if the program loses the stage, the reply is lost. */
    private record FromStage<R extends @Nullable Object>(
            ReplyHandle<R> reply) implements BiConsumer<R, @Nullable Throwable> {
        @Override
        public void accept(R value, @Nullable Throwable failure) {
            if (failure == null) {
                complete(value);
            } else {
                // A stage that depends on others wraps what they have failed with.
                var cause = failure instanceof CompletionException ? failure.getCause() : null;
                reply.fail(cause == null ? failure : cause);
            }
        }

        private void complete(R value) {
            try {
                reply.complete(value);
            } catch (IllegalStateException noReplyToTheRequest) {
                reply.fail(noReplyToTheRequest);
            }
        }
    }

    @Override
    public void completeFrom(CompletionStage<? extends R> stage) {
        Objects.requireNonNull(stage, "stage");
        StackReserve.require();
        stage.whenComplete(new FromStage<>(this));
    }

    @Override
    public boolean isDone() {
        return open.isOver();
    }

    private record Ending(CompletableFuture<@Nullable Void> end) implements BiConsumer<Object, Throwable> {
        @Override
        public void accept(@Nullable Object value, @Nullable Throwable failure) {
            end.complete(null);
        }
    }

    @Override
    public CompletableFuture<@Nullable Void> onDone() {
        StackReserve.require();
        var end = new CompletableFuture<@Nullable Void>();
        open.whenOver(new Ending(end));
        return end;
    }

    @Override
    public String toString() {
        return open.toString();
    }
}
