package io.fibry;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The result of a handler for a {@link Request}: the answer, and the request that it belongs to. {@link
 * Request#reply} makes it, so the compiler checks that the answer has the type that the request names.
 *
 * <p>If the handler returns a reply to another request than the one that it was called with, {@link #none()}, or
 * {@code null},
 * and the message was asked by {@link Actor#request(Request)}, then the handler has failed: the answer fails with an {@link
 * IllegalStateException} that says what was returned, and the actor's {@link FailurePolicy} decides what follows. A
 * request is the same if it is the same object.
 *
 * <p>Replies are immutable. A reply refers to its request. It is as thread-safe as the value in it.
 */
public final class Reply {
    private static final Reply NONE = new Reply(null, null);

    private final @Nullable Request<?> request;
    private final @Nullable Object value;

    Reply(@Nullable Request<?> request, @Nullable Object value) {
        this.request = request;
        this.value = value;
    }

    /**
     * Returns the reply to a message that is no request: no answer.
     *
     * @return the reply without a request
     */
    public static Reply none() {
        return NONE;
    }

    /**
     * Returns the request that this is the reply to.
     *
     * @return the request; empty for {@link #none()}
     */
    public Optional<Request<?>> request() {
        return Optional.ofNullable(request);
    }

    /**
     * Returns the answer. A test that calls a handler without an actor may read it.
     *
     * @return the answer; null for {@link #none()}
     */
    public @Nullable Object value() {
        return value;
    }

    @Override
    public String toString() {
        return request == null ? "Reply[none]" : "Reply[" + value + ", to " + request + "]";
    }
}
