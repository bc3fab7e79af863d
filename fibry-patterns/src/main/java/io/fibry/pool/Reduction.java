package io.fibry.pool;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.Recipient;
import io.fibry.StopReport;
import io.fibry.function.ReplyHandler;
import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A map-reduce: the recipient that maps, the actor that reduces, and the number of items that are on their way.
 *
 * <pre>
 *   open: 1 at first        one for the call of result()
 *         n -> n + 1        an item is submitted; not once result() was called, or after a failure
 *         n -> n - 1        the item was reduced, or is lost
 *         1 -> 0            all is done, and result() was called: the value is complete
 * </pre>
 *
 * @param <T> type of the items
 * @param <V> type of what an item is mapped to
 * @param <A> type of the value
 */
final class Reduction<T, V, A extends @Nullable Object> implements MapReduce<T, A> {
    /** How many results may wait to be reduced. Further ones hold up those that map. */
    private static final int MOST_WAITING = 1_024;

    private final ActorScope crew;
    private final Recipient<T, ?> mappers;
    private final Actor<V, Void> reducer;
    private final BiFunction<? super A, ? super V, ? extends A> reducing;
    private final AtomicLong open = new AtomicLong(1);
    private final CompletableFuture<A> whole = new CompletableFuture<>();
    private final AtomicBoolean isComplete = new AtomicBoolean();
    /** Accessed by the reducer, and by the thread that finds that all is done. */
    private A value;

    Reduction(ActorScope scope, String name, Supplier<? extends A> initial,
            BiFunction<? super A, ? super V, ? extends A> reducing,
            BiFunction<ActorScope, Reduction<T, V, A>, Recipient<T, ?>> mapping) {
        this.reducing = Objects.requireNonNull(reducing, "reducer");
        value = Objects.requireNonNull(initial, "initial").get();
        crew = Objects.requireNonNull(scope, "scope").child(Objects.requireNonNull(name, "name")).open();
        var made = false;
        try {
            reducer = crew.named(name + "-reducer")
                    .mailbox(MailboxPolicy.bounded(MOST_WAITING, OverflowPolicy.block()))
                    .newActor(this::reduce);
            mappers = mapping.apply(crew, this);
            crew.closeOnExit(this::stopped);
            made = true;
        } finally {
            if (!made) {
                crew.close();
            }
        }
    }

    /** Called by a worker: maps an item and hands the result on. */
    void map(ReplyHandler<T, V> mapper, T item) throws Exception {
        if (whole.isDone()) {
            return; // it has failed: the result does not need this item
        }
        var mapped = Objects.requireNonNull(mapper.handle(item), "what the mapper has returned");
        if (!reducer.sendMessage(mapped)) {
            throw new ActorStoppedException(
                    "map-reduce '" + crew.name() + "' was closed before all was reduced");
        }
    }

    private void reduce(V mapped) {
        try {
            if (!whole.isDone()) {
                value = reducing.apply(value, mapped);
            }
        } catch (Throwable failed) {
            whole.completeExceptionally(failed);
            throw failed;
        } finally {
            done();
        }
    }

    private void done() {
        if (open.decrementAndGet() == 0) {
            whole.complete(value);
        }
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the callback throws nothing
    public boolean submit(T item) {
        Objects.requireNonNull(item, "item");
        if (isComplete.get() || whole.isDone() || !count()) {
            return false;
        }
        var isSent = false;
        try {
            var fate = mappers.sendTracked(item);
            isSent = !(fate.isDone() && fate.join() instanceof MessageFate.Refused);
            if (isSent) {
                fate.thenAccept(this::settle);
            }
        } finally {
            if (!isSent) {
                done();
            }
        }
        return isSent;
    }

    private boolean count() {
        while (true) {
            var now = open.get();
            if (now == 0) {
                return false;
            }
            if (open.compareAndSet(now, now + 1)) {
                return true;
            }
        }
    }

    /** Called when an item has met its fate. One that was handled is counted when its result is reduced. */
    private void settle(MessageFate fate) {
        switch (fate) {
            case MessageFate.Handled handled -> {
            }
            case MessageFate.Failed failed -> fail(failed.cause());
            case MessageFate.Dropped dropped -> fail(dropped.why());
            case MessageFate.Refused refused -> fail(refused.why());
            case MessageFate.Undelivered undelivered -> fail(undelivered.why());
            case MessageFate.Expired expired ->
                fail(new IllegalStateException("an item of map-reduce '" + crew.name() + "' has expired"));
        }
    }

    private void fail(Throwable cause) {
        whole.completeExceptionally(cause);
    }

    private void stopped() {
        whole.completeExceptionally(
                new ActorStoppedException(
                        "map-reduce '" + crew.name() + "' was closed before its result was there"));
    }

    @Override
    public CompletableFuture<A> result() {
        if (isComplete.compareAndSet(false, true)) {
            done();
        }
        return whole.copy();
    }

    @Override
    public StopReport stop(Duration deadline) {
        return crew.stop(deadline);
    }

    @Override
    public CompletableFuture<StopReport> onStopped() {
        return crew.onStopped();
    }

    @Override
    public void close() {
        crew.close();
    }

    @Override
    public String toString() {
        return "MapReduce[" + crew.name() + ", " + Math.max(0, open.get() - 1) + " items on their way]";
    }
}
