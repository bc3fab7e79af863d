package io.fibry.topic;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.StopReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Computes a value again when one of its sources has changed. The computation reads the sources after it has taken the mark
 * {@link #stale} away, so a change that it has not seen marks it again.
 */
final class Combination<R> {
    private final Supplier<? extends R> function;
    private final LiveValue<R> value;
    private final Actor<Runnable, Void> actor;
    /** Set by an observer of a source. The actor clears it before it reads the sources. */
    private final AtomicBoolean stale = new AtomicBoolean();
    private final AtomicInteger openSources;

    private Combination(ActorScope scope, String name,
            List<? extends ObservableView<?>> sources, Supplier<? extends R> function) {
        this.function = function;
        this.openSources = new AtomicInteger(sources.size());
        this.value = new LiveValue<>(scope, name,
                Objects.requireNonNull(function.get(), "the value of the function of '" + name + "'"));
        try {
            this.actor = value.builder(name + "/combination").newActor(Runnable::run);
            for (var source : sources) {
                follow(source);
            }
        } catch (RuntimeException | Error closed) {
            value.close();
            throw closed;
        }
    }

    static <A, B, R> ObservableView<R> of(ActorScope scope, String name,
            ObservableView<A> first, ObservableView<B> second,
            BiFunction<? super A, ? super B, ? extends R> function) {
        Objects.requireNonNull(function, "function");
        var sources =
                List.of(Objects.requireNonNull(first, "first"), Objects.requireNonNull(second, "second"));
        return new Combination<R>(scope, name, sources,
                () -> function.apply(first.get(), second.get())).value;
    }

    static <T, R> ObservableView<R> ofAll(ActorScope scope, String name,
            List<? extends ObservableView<? extends T>> sources,
            Function<? super List<T>, ? extends R> function) {
        Objects.requireNonNull(function, "function");
        var all = List.copyOf(Objects.requireNonNull(sources, "sources"));
        Objects.requireNonNull(scope, "scope");
        Objects.requireNonNull(name, "name");
        if (all.isEmpty()) {
            throw new IllegalArgumentException(
                    "a combined value needs at least one source; '" + name + "' has none");
        }
        return new Combination<R>(scope, name, all, () -> {
            var values = new ArrayList<T>(all.size());
            for (var source : all) {
                values.add(source.get());
            }
            return function.apply(List.copyOf(values));
        }).value;
    }

    private void follow(ObservableView<?> source) {
        var observer = ObserverOptions.named(value.name()).coalescing().withCurrent();
        var subscription = source.subscribe(observer, any -> mark());
        CompletableFuture<StopReport> end = source.onStopped();
        var unused = end.thenRun(this::countEnd);
        value.scope.closeOnExit(() -> {
            subscription.close();
            end.cancel(false);
        });
    }

    /** The mark stays until a limit of the scope lets the call of the actor through. */
    private void mark() {
        if (!value.isClosed() && stale.compareAndSet(false, true)) {
            call();
        }
    }

    private void call() {
        var sent = false;
        try {
            sent = value.send(actor, signal(this::compute), this::call);
        } finally {
            if (!sent) {
                stale.set(false);
            }
        }
    }

    private SourceSignal signal(Runnable work) {
        return new SourceSignal(value.get(), Optional.of("combined value '" + value.name() + "'"), work);
    }

    private void compute() {
        stale.set(false);
        value.setIfOpen(
                Objects.requireNonNull(function.get(),
                        "the value of the function of '" + value.name() + "'"));
    }

    private void countEnd() {
        if (openSources.decrementAndGet() == 0 && !value.isClosed()) {
            end();
        }
    }

    /** The actor closes the value when it has computed what the sources were at last. If it has stopped, this thread does. */
    private void end() {
        var sent = false;
        try {
            sent = value.send(actor, signal(this::computeLast), this::end);
        } finally {
            if (!sent) {
                value.close();
            }
        }
    }

    private void computeLast() {
        try {
            if (stale.get()) {
                compute();
            }
        } finally {
            value.close();
        }
    }
}
