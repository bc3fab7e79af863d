package io.fibry.work;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ReceivingContext;
import io.fibry.function.Handler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Makes actors that handle several messages at once, such as one statement that inserts a hundred rows. */
public final class Batches {
    private Batches() {
    }

    /**
     * Makes an actor that handles its messages in batches. A batch ends when it has {@code most} messages, or when as much
     * time has passed as {@code longest} says, by the clock of the scope, since the actor took its first message.
     *
     * <pre>{@code
     * var rows = Batches.newActor(scope.named("rows"), 100, Duration.ofMillis(20),
     *         (List<String> batch) -> database.insert(batch));
     * }</pre>
     *
     * <p>The messages of a batch have one fate: they are handled together, or each of them fails with what the handler has
     * thrown, which is reported once. An ask is answered with null when its batch has been handled. A poison pill, an
     * exit, a restart and the close of the scope end the batch, and the handler gets what it has.
     *
     * <p>The actor is a {@linkplain ActorBuilder#newReceivingActor(io.fibry.function.ReceivingHandler) receiving actor}, which
     * some settings of a builder refuse. A state of the actor is that of the handler. To keep the order of each key and
     * to handle several batches at a time, put a {@link io.fibry.pool.Router} by key before several such actors.
     *
     * @param <M> type of the messages
     * @param builder describes the actor; not on {@link io.fibry.CreationStrategy#caller()}, where senders would wait
     * @param most how many messages a batch has at most; at least one
     * @param longest how long a batch waits for its end; more than zero
     * @param handler what the actor does with a batch; the list belongs to the handler
     * @return the actor
     * @throws IllegalArgumentException if the number or the time is out of range
     */
    public static <M> Actor<M, Void> newActor(ActorBuilder builder, int most, Duration longest,
            Handler<List<M>> handler) {
        Objects.requireNonNull(builder, "builder");
        Objects.requireNonNull(handler, "handler");
        if (most < 1) {
            throw new IllegalArgumentException("a batch has at least 1 message, not " + most);
        }
        if (Objects.requireNonNull(longest, "longest").isNegative() || longest.isZero()) {
            throw new IllegalArgumentException(
                    "a batch waits for its end for more than zero, not " + longest);
        }
        return builder.newReceivingActor((ReceivingContext<M> inbox, M first) -> {
            var batch = new ArrayList<M>();
            batch.add(first);
            batch.addAll(inbox.receiveMore(most - 1, longest));
            handler.handle(batch);
        });
    }
}
