package io.fibry.flow;

import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.StopReport;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Flow;

/** A publisher with a scope for its subscriptions. */
abstract class ScopedPublisher<T> implements FlowPublisher<T> {
    private final String name;
    private final ActorScope scope;
    private final FlowOptions options;
    private final Set<Runnable> ends = ConcurrentHashMap.newKeySet();
    /** Set by the close of the scope, which then reads {@link #ends}; a subscription is listed before this is read. */
    private volatile boolean isClosing;

    ScopedPublisher(ActorScope parent, String name, FlowOptions options) {
        this.name = Objects.requireNonNull(name, "name");
        this.options = Objects.requireNonNull(options, "options");
        this.scope =
                Objects.requireNonNull(parent, "scope").child(Objects.requireNonNull(name, "name"))
                        .withoutDefaults().open();
        ScopeEnd.callOrClose(scope, this::endAll);
    }

    private void endAll() {
        isClosing = true;
        ends.forEach(Runnable::run);
    }

    final String name() {
        return name;
    }

    final FlowOptions options() {
        return options;
    }

    /** Returns the scope of the publisher. */
    final ActorScope inside() {
        return scope;
    }

    /** Returns a builder of the actor that runs the code of a producer. */
    final ActorBuilder producer() {
        return options.actors().apply(scope.anonymous().strategy(CreationStrategy.fibers()));
    }

    /** Makes the values of a new subscription. Throws nothing: what fails is the failure of the values. */
    abstract ValueOrigin<T> connect(Emission<T> emission);

    @Override
    public final void subscribe(Flow.Subscriber<? super T> subscriber) {
        Objects.requireNonNull(subscriber, "subscriber");
        var end = new Runnable[1];
        var emission = new Emission<T>(name, subscriber, () -> ends.remove(end[0]));
        var connection = connect(emission);
        emission.connect(connection.supply());
        end[0] = () -> {
            connection.supply().fail(Production.stopped(name));
            emission.close();
        };
        ends.add(end[0]);
        try {
            emission.begin(options.actors().apply(scope.anonymous()));
        } catch (Throwable failure) {
            // By rule 1.9 this method throws nothing.
            emission.refuse(failure instanceof IllegalStateException closed ? isClosed(closed) : failure);
            return;
        }
        try {
            connection.start().run();
        } catch (Throwable failure) {
            connection.supply().fail(failure);
        }
        if (isClosing) {
            // The end of the scope may have come too early to find this subscription.
            end[0].run();
        }
    }

    private IllegalStateException isClosed(IllegalStateException why) {
        return new IllegalStateException(
                "publisher '" + name + "' takes no subscriber, since it is closed, or cannot make "
                        + "an actor: " + why.getMessage(),
                why);
    }

    @Override
    public final int subscriptions() {
        return ends.size();
    }

    @Override
    public final StopReport stop(Duration deadline) {
        return scope.stop(deadline);
    }

    @Override
    public final void close() {
        stop(Duration.ZERO);
    }

    @Override
    public final CompletableFuture<StopReport> onStopped() {
        return scope.onStopped();
    }

    @Override
    public String toString() {
        return "publisher '" + name + "'";
    }
}
