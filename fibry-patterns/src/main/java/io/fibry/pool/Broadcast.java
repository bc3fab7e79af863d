package io.fibry.pool;

import io.fibry.Recipient;
import io.fibry.Request;
import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Gives each message to all recipients. */
@SuppressWarnings("FutureReturnValueIgnored") // the callbacks complete another future, and throw nothing
record Broadcast<M, R extends @Nullable Object>(String name,
        List<? extends Recipient<M, R>> targets) implements Recipient<M, List<R>> {
    Broadcast {
        Objects.requireNonNull(name, "name");
        targets = List.copyOf(Objects.requireNonNull(targets, "recipients"));
        if (targets.isEmpty()) {
            throw new IllegalArgumentException("broadcast '" + name + "' needs at least one recipient");
        }
    }

    /** Offers the message to all recipients, whatever some of them throw; then throws what the first one has thrown. */
    private boolean all(Predicate<Recipient<M, R>> sending) {
        var accepted = true;
        Throwable thrown = null;
        for (var target : targets) {
            try {
                accepted &= sending.test(target);
            } catch (RuntimeException | Error failed) {
                if (thrown == null) {
                    thrown = failed;
                } else if (thrown != failed) {
                    thrown.addSuppressed(failed);
                }
            }
        }
        if (thrown instanceof Error error) {
            throw error;
        }
        if (thrown != null) {
            throw (RuntimeException) thrown;
        }
        return accepted;
    }

    /** Sends the message to all recipients. The future of one that throws has failed with that. */
    private <A extends @Nullable Object> List<CompletableFuture<A>> each(
            Function<Recipient<M, R>, CompletableFuture<A>> sending) {
        var futures = new ArrayList<CompletableFuture<A>>(targets.size());
        for (var target : targets) {
            CompletableFuture<A> future;
            try {
                future = sending.apply(target);
            } catch (RuntimeException | Error failed) {
                future = CompletableFuture.failedFuture(failed);
            }
            futures.add(future);
        }
        return futures;
    }

    /** Returns all results as one; if the one future is cancelled, so are the others. */
    private static <A extends @Nullable Object> CompletableFuture<List<A>> together(
            List<CompletableFuture<A>> futures) {
        var whole = new CompletableFuture<List<A>>();
        CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new)).whenComplete((none, any) -> {
            var results = new ArrayList<A>(futures.size());
            try {
                for (var future : futures) {
                    results.add(future.join());
                }
            } catch (CompletionException failed) {
                whole.completeExceptionally(Objects.requireNonNullElse(failed.getCause(), failed));
            } catch (CancellationException cancelled) {
                whole.completeExceptionally(cancelled);
            }
            whole.complete(Collections.unmodifiableList(results));
        });
        whole.whenComplete((any, none) -> {
            if (whole.isCancelled()) {
                futures.forEach(future -> future.cancel(true));
            }
        });
        return whole;
    }

    private static CompletableFuture<MessageFate> fate(List<CompletableFuture<MessageFate>> futures) {
        return together(futures).thenApply(fates -> {
            for (var fate : fates) {
                if (!fate.isHandled()) {
                    return fate;
                }
            }
            return fates.getFirst();
        });
    }

    @Override
    public boolean sendMessage(M message) {
        return all(target -> target.sendMessage(message));
    }

    @Override
    public boolean sendMessage(M message, Duration timeToLive) {
        return all(target -> target.sendMessage(message, timeToLive));
    }

    @Override
    public CompletableFuture<MessageFate> sendTracked(M message) {
        return fate(each(target -> target.sendTracked(message)));
    }

    @Override
    public CompletableFuture<MessageFate> sendTracked(M message, Duration timeToLive) {
        return fate(each(target -> target.sendTracked(message, timeToLive)));
    }

    @Override
    public CompletableFuture<List<R>> sendMessageReturn(M message) {
        return together(each(target -> target.sendMessageReturn(message)));
    }

    @Override
    public CompletableFuture<List<R>> ask(M message, Duration timeout) {
        return together(each(target -> target.ask(message, timeout)));
    }

    @Override
    public <A extends @Nullable Object> CompletableFuture<A> request(Request<A> request) {
        return refused();
    }

    @Override
    public <A extends @Nullable Object> CompletableFuture<A> request(Request<A> request, Duration timeout) {
        return refused();
    }

    private <A extends @Nullable Object> CompletableFuture<A> refused() {
        return CompletableFuture.failedFuture(new UnsupportedOperationException("broadcast '" + name
                + "' gives a request to several recipients, and a request has one answer: use sendMessageReturn"));
    }
}
