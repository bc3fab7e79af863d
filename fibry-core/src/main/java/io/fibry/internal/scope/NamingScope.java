package io.fibry.internal.scope;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorName;
import io.fibry.Reply;
import io.fibry.Request;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Host;
import io.fibry.internal.clock.Durations;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
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

    private static String text(ActorName<?, ?> name) {
        return Objects.requireNonNull(name, "name").text();
    }

    @Override
    @SuppressWarnings("unchecked") // the types of the name
    public final <M, R extends @Nullable Object> Optional<Actor<M, R>> find(ActorName<M, R> name) {
        return (Optional<Actor<M, R>>) (Optional<?>) names.find(text(name));
    }

    @Override
    public final <M, R extends @Nullable Object> Actor<M, R> make(ActorName<M, R> name,
            Function<? super ActorBuilder, ? extends Actor<M, R>> maker) {
        var text = text(name);
        Actor<M, R> made = Objects.requireNonNull(maker, "maker").apply(named(text));
        if (made == null || !made.name().equals(text)) {
            throw new IllegalStateException("the function that makes actor '" + text + "' of scope '" + name()
                    + "' has returned " + made + "; make the actor with the builder that it is given");
        }
        return made;
    }

    @Override
    public final <M, R extends @Nullable Object> Actor<M, R> findOrMake(ActorName<M, R> name,
            Function<? super ActorBuilder, ? extends Actor<M, R>> maker) {
        var text = text(name);
        Objects.requireNonNull(maker, "maker");
        return new FindOrMake(scope(), text).run(maker);
    }

    @Override
    public final SortedSet<String> names() {
        return names.taken();
    }

    @Override
    public final <M> boolean sendOrKeep(ActorName<M, ?> name, M message, int keep) {
        var to = new SendToName(scope(), text(name));
        Objects.requireNonNull(message, "message");
        if (keep < 0) {
            throw new IllegalArgumentException("keep must not be negative: " + keep);
        }
        return to.run(message, keep);
    }

    @Override
    public final <A extends @Nullable Object> CompletableFuture<A> request(ActorName<?, Reply> name,
            Request<A> request) {
        var text = text(name);
        Objects.requireNonNull(request, "request");
        return ask(text, request, new RequestAsk<>(request, null));
    }

    @Override
    public final <A extends @Nullable Object> CompletableFuture<A> request(ActorName<?, Reply> name,
            Request<A> request, Duration timeout) {
        var text = text(name);
        Objects.requireNonNull(request, "request");
        Durations.positiveNanos(timeout, "timeout");
        return ask(text, request, new RequestAsk<>(request, timeout));
    }

    private <A extends @Nullable Object> CompletableFuture<A> ask(String name, Object request,
            Function<Actor<?, ?>, CompletableFuture<A>> asking) {
        var found = find(ActorName.<Object, @Nullable Object>of(name));
        return found.isPresent()
                ? asking.apply(found.get())
                : CompletableFuture.failedFuture(new SendToName(scope(), name).refuseAsk(request));
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
