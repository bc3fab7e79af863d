package io.fibry.topic;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What a topic is at a moment. The arrays are never changed once they are here.
 *
 * @param subscribers those whose offers never wait come first
 * @param last the last message, if the topic keeps it and there is one
 * @param closed whether messages are refused
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record TopicState<M>(Subscriber<M>[] subscribers, @Nullable M last, boolean closed) {
    private static final Subscriber<?>[] NONE = new Subscriber<?>[0];

    @SuppressWarnings("unchecked") // an empty array
    static <M> TopicState<M> empty() {
        return new TopicState<>((Subscriber<M>[]) NONE, null, false);
    }

    TopicState<M> withLast(M message) {
        return new TopicState<>(subscribers, message, false);
    }

    TopicState<M> with(Subscriber<M> added) {
        if (closed) {
            return this;
        }
        int at = subscribers.length;
        while (!added.canBlock() && at > 0 && subscribers[at - 1].canBlock()) {
            at--;
        }
        var more = Arrays.copyOf(subscribers, subscribers.length + 1);
        System.arraycopy(subscribers, at, more, at + 1, subscribers.length - at);
        more[at] = added;
        return new TopicState<>(more, last, false);
    }

    TopicState<M> without(Subscriber<M> removed) {
        int at = Arrays.asList(subscribers).indexOf(removed);
        if (at < 0) {
            return this;
        }
        var fewer = Arrays.copyOf(subscribers, subscribers.length - 1);
        System.arraycopy(subscribers, at + 1, fewer, at, fewer.length - at);
        return new TopicState<>(fewer, last, closed);
    }

    @SuppressWarnings("unchecked") // an empty array
    TopicState<M> shut() {
        return new TopicState<>((Subscriber<M>[]) NONE, last, true);
    }
}
