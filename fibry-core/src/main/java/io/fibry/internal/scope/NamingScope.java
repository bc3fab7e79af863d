package io.fibry.internal.scope;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.Request;
import io.fibry.WhenAbsent;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Host;
import io.fibry.internal.actor.RequestAsk;
import io.fibry.internal.clock.Durations;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The part of a scope that knows its actors by their names. */
abstract sealed class NamingScope extends Host permits ShownScope {
    private final Names names = new Names();

    private Scope scope() {
        return (Scope) this; // Scope is the only class of scopes
    }

    public final Names nameTable() {
        return names;
    }

    @Override
    @SuppressWarnings("unchecked") // the caller's claim, as documented
    public final <M, R extends @Nullable Object> Optional<Actor<M, R>> find(String name) {
        return (Optional<Actor<M, R>>) (Optional<?>) names.find(Objects.requireNonNull(name, "name"));
    }

    @Override
    public final <M, R extends @Nullable Object> Actor<M, R> findOrMake(String name,
            Function<? super ActorBuilder, ? extends Actor<M, R>> maker) {
        Objects.requireNonNull(maker, "maker");
        return new FindOrMake(scope(), ActorSpec.checkedName(name)).run(maker);
    }

    @Override
    public final SortedSet<String> names() {
        return names.taken();
    }

    @Override
    public final boolean sendMessage(String name, Object message, WhenAbsent absent) {
        return new SendToName(scope(), ActorSpec.checkedName(name)).run(
                Objects.requireNonNull(message, "message"),
                Objects.requireNonNull(absent, "absent"));
    }

    @Override
    public final <A extends @Nullable Object> CompletableFuture<A> ask(String name, Request<A> request) {
        Objects.requireNonNull(request, "request");
        return ask(ActorSpec.checkedName(name), request, new RequestAsk<>(request, null));
    }

    @Override
    public final <A extends @Nullable Object> CompletableFuture<A> ask(String name, Request<A> request,
            Duration timeout) {
        Objects.requireNonNull(request, "request");
        Durations.positiveNanos(timeout, "timeout");
        return ask(ActorSpec.checkedName(name), request, new RequestAsk<>(request, timeout));
    }

    private <A extends @Nullable Object> CompletableFuture<A> ask(String name, Object request,
            Function<Actor<?, ?>, CompletableFuture<A>> asking) {
        var found = this.<Object, @Nullable Object>find(name);
        return found.isPresent()
                ? asking.apply(found.get())
                : CompletableFuture.failedFuture(new SendToName(scope(), name).refuseAsk(request));
    }

    @Override
    public final <A extends @Nullable Object> A askWait(String name, Request<A> request)
            throws ExecutionException, InterruptedException {
        Objects.requireNonNull(request, "request");
        return findToAsk(name, request).askWait(request);
    }

    @Override
    public final <A extends @Nullable Object> A askWait(String name, Request<A> request, Duration timeout)
            throws ExecutionException, InterruptedException {
        Objects.requireNonNull(request, "request");
        Durations.positiveNanos(timeout, "timeout");
        return findToAsk(name, request).askWait(request, timeout);
    }

    private Actor<?, ?> findToAsk(String name, Object request)
            throws ExecutionException, InterruptedException {
        var checked = ActorSpec.checkedName(name);
        if (Thread.interrupted()) { // this comes first: a request without an actor is reported
            throw new InterruptedException(
                    "interrupted before it asked actor '" + checked + "': nothing was sent");
        }
        var found = this.<Object, @Nullable Object>find(checked);
        if (found.isEmpty()) {
            throw new ExecutionException(new SendToName(scope(), checked).refuseAsk(request));
        }
        return found.get();
    }

    @Override
    public final void freeName(Cell cell) {
        var name = cell.givenName();
        if (name != null) {
            names.free(name, cell);
        }
    }

    final IllegalStateException closed(String consequence) {
        return new IllegalStateException(
                "scope '" + name() + "' is closed: " + consequence + "; use a scope that is open");
    }
}
