package io.fibry.message;

import io.fibry.ActorBuilder;
import io.fibry.text.RecordText;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.function.Function;

/**
 * How the messages of an actor become batches; see {@link ActorBuilder#newBatchActor}. Objects are immutable, and the
 * functions in them are called inside the actor.
 *
 * @param <M> type of the messages
 * @param most after how many messages a batch ends; at least one
 * @param longestWait how long after the actor has taken its first message a batch ends; more than zero
 * @param key returns the key of a message; empty if messages have no keys
 * @param merge makes one message of two that have the same key, the older one and the newer one; empty if messages are not
 *     merged
 */
public record BatchOptions<M>(int most, Duration longestWait, Optional<Function<? super M, ?>> key,
        Optional<BinaryOperator<M>> merge) {
    /**
     * Makes options.
     *
     * @param most after how many messages a batch ends
     * @param longestWait how long after the actor has taken its first message a batch ends
     * @param key returns the key of a message
     * @param merge makes one message of two with the same key; may be there only if there is a key
     * @throws IllegalArgumentException if a number or time is out of range
     */
    public BatchOptions {
        Objects.requireNonNull(longestWait, "longestWait");
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(merge, "merge");
        if (most < 1) {
            throw new IllegalArgumentException("a batch has at least 1 message, not " + most);
        }
        if (longestWait.isNegative() || longestWait.isZero()) {
            throw new IllegalArgumentException(
                    "the longest wait of a batch must be more than zero: " + longestWait);
        }
        if (merge.isPresent() && key.isEmpty()) {
            throw new IllegalArgumentException(
                    "messages are merged if they have the same key, and there is no key");
        }
    }

    /**
     * Returns options for batches of messages without keys.
     *
     * @param <M> type of the messages
     * @param most after how many messages a batch ends
     * @param longestWait how long after the actor has taken its first message a batch ends
     * @return the options
     */
    public static <M> BatchOptions<M> of(int most, Duration longestWait) {
        return new BatchOptions<>(most, longestWait, Optional.empty(), Optional.empty());
    }

    /**
     * Returns options with another size.
     *
     * @param messages after how many messages a batch ends
     * @return the options
     */
    public BatchOptions<M> withMost(int messages) {
        return new BatchOptions<>(messages, longestWait, key, merge);
    }

    /**
     * Returns options with another time.
     *
     * @param wait how long after the actor has taken its first message a batch ends
     * @return the options
     */
    public BatchOptions<M> withLongestWait(Duration wait) {
        return new BatchOptions<>(most, wait, key, merge);
    }

    /**
     * Returns options by which the handler is called once for each key in a batch, with the messages that have it. A key
     * may be null: the messages without a key have one call. A message fails alone if the function throws for it.
     *
     * @param keyOf returns the key of a message
     * @return the options
     */
    public BatchOptions<M> groupedBy(Function<? super M, ?> keyOf) {
        return new BatchOptions<>(most, longestWait, Optional.of(Objects.requireNonNull(keyOf, "keyOf")),
                Optional.empty());
    }

    /**
     * Returns options by which the handler is called with one message for each key, made of all messages of the batch
     * that have this key. For keys the same holds as for {@link #groupedBy}. If the merging function throws or returns null,
     * all messages of the batch fail with that exception, and the handler is not called.
     *
     * @param keyOf returns the key of a message
     * @param merging makes one message of an older one and a newer one; must not return null
     * @return the options
     */
    public BatchOptions<M> mergedBy(Function<? super M, ?> keyOf, BinaryOperator<M> merging) {
        return new BatchOptions<>(most, longestWait, Optional.of(Objects.requireNonNull(keyOf, "keyOf")),
                Optional.of(Objects.requireNonNull(merging, "merging")));
    }

    @Override
    public String toString() {
        return RecordText.of(this).with("most", most).with("longestWait", longestWait).with("key", key)
                .with("merge", merge).toString();
    }
}
