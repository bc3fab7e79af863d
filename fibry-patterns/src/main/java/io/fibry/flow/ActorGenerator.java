package io.fibry.flow;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.CreationStrategy;
import io.fibry.StopReport;
import io.fibry.function.Handler;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A generator as its consumer sees it. The producers do not refer to it, so it is garbage when the consumer has forgotten it,
 * and the cleaner then ends the producers.
 */
final class ActorGenerator<T> implements Generator<T> {
    private final String name;
    private final ActorScope scope;
    private final Production<T> production;
    private final RingReader<T> reader;

    private ActorGenerator(String name, ActorScope scope, Production<T> production) {
        this.name = name;
        this.scope = scope;
        this.production = production;
        this.reader = production.reader();
    }

    /** Made with the first generator. */
    private static final class Forgotten {
        static final Cleaner CLEANER = Cleaner.create();
    }

    static <T> ActorGenerator<T> open(ActorScope parent, String name, FlowOptions options,
            List<? extends Handler<GeneratorOutput<T>>> producers) {
        Objects.requireNonNull(parent, "scope");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(options, "options");
        var bodies = List.copyOf(Objects.requireNonNull(producers, "producers"));
        if (bodies.isEmpty()) {
            throw new IllegalArgumentException(
                    "generator '" + name + "' has no producer; give it at least one");
        }
        var scope = parent.child(name).withoutDefaults().open();
        try {
            var production = new Production<T>(name, bodies.size(), options.capacity(), null, scope::close);
            var reader = production.reader();
            ScopeEnd.call(scope, () -> reader.fail(Production.stopped(name)));
            for (int i = 0; i < bodies.size(); i++) {
                var actor = bodies.size() == 1 ? name : name + "-" + (i + 1);
                production.start(
                        options.actors().apply(scope.named(actor).strategy(CreationStrategy.fibers())),
                        bodies.get(i));
            }
            var generator = new ActorGenerator<>(name, scope, production);
            Forgotten.CLEANER.register(generator, reader::cancel);
            return generator;
        } catch (RuntimeException | Error e) {
            scope.stop(Duration.ZERO);
            throw e;
        }
    }

    @Override
    public boolean hasNext() {
        try {
            return reader.hasNext();
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public T next() {
        try {
            var value = reader.hasNext() ? reader.take() : null;
            if (value == null) {
                throw new NoSuchElementException("generator '" + name + "' has no more values");
            }
            return value;
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public Stream<T> stream() {
        return StreamSupport
                .stream(Spliterators.spliteratorUnknownSize(this, Spliterator.ORDERED | Spliterator.NONNULL),
                        false)
                .onClose(this::close);
    }

    @Override
    public StopReport stop(Duration deadline) {
        DeadlineCheck.check(deadline);
        // mutant: closed-generator-has-values
        reader.cancel();
        return scope.stop(deadline);
    }

    @Override
    public void close() {
        stop(Duration.ZERO);
    }

    @Override
    public CompletableFuture<StopReport> onStopped() {
        var ends = production.actors().stream().map(Actor::onStopped).toList();
        if (ends.size() == 1) {
            return ends.getFirst();
        }
        return CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
                .thenApply(all -> together(ends.stream().map(CompletableFuture::join).toList()));
    }

    private StopReport together(List<StopReport> reports) {
        var sum = reports.stream().map(StopReport::counters).reduce(new Counters(0, 0, 0, 0, 0, 0),
                (a, b) -> new Counters(a.handled() + b.handled(), a.failed() + b.failed(),
                        a.expired() + b.expired(), a.dropped() + b.dropped(), a.refused() + b.refused(),
                        a.undelivered() + b.undelivered()));
        return new StopReport(name, reports.stream().allMatch(StopReport::stopped),
                reports.stream().anyMatch(StopReport::forced),
                reports.stream().flatMap(report -> report.stuck().stream()).toList(), sum);
    }

    @Override
    public String toString() {
        return "generator '" + name + "'";
    }
}
