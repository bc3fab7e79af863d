package io.fibry.flow;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorStoppedException;
import io.fibry.ReceivingContext;
import io.fibry.function.Handler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The producers of one generator, or of one subscription, each an actor whose life is its code. */
final class Production<T> {
    private final String name;
    private final RingReader<T> reader;
    private final AtomicInteger running;
    private final Runnable whenOver;
    private final List<Actor<?, ?>> actors = new ArrayList<>();

    /**
     * Makes the producers, which do not run yet.
     *
     * @param wakeUp is called if there is something new; null if the consumer waits
     * @param whenOver is called once, inside the last producer that ends
     */
    Production(String name, int producers, int capacity, @Nullable Runnable wakeUp, Runnable whenOver) {
        this.name = name;
        this.running = new AtomicInteger(producers);
        this.reader = new RingReader<>(name, producers, capacity, wakeUp);
        this.whenOver = whenOver;
    }

    /** Starts the next producer. */
    void start(ActorBuilder builder, Handler<GeneratorOutput<T>> body) {
        var ring = reader.rings().get(actors.size());
        Handler<ReceivingContext<Object>> life = context -> run(body, ring);
        actors.add(builder.onExit(() -> ended(ring)).newReceivingActor(life));
    }

    RingReader<T> reader() {
        return reader;
    }

    List<Actor<?, ?>> actors() {
        return actors;
    }

    private void run(Handler<GeneratorOutput<T>> body, ValueRing<T> ring) throws Exception {
        var output = new RingOutput<T>(name, ring);
        try {
            body.handle(output);
            ring.end();
        } catch (Throwable thrown) {
            if (ring.isClosed()
                    && (thrown instanceof CancellationException || Failures.isByInterrupt(thrown))) {
                return; // It ends because it was told to.
            }
            // mutant: failure-of-a-producer-is-told-to-nobody
            if (!reader.failBy(thrown)) {
                throw thrown; // The consumer is gone, so this is a failure of the actor.
            }
        } finally {
            output.isOver = true;
        }
    }

    /** Runs when an actor ends, also if its code has never begun. */
    private void ended(ValueRing<T> ring) {
        if (!ring.isEnded() && !ring.isClosed()) {
            reader.fail(stopped(name));
        }
        ring.end();
        if (running.decrementAndGet() == 0) {
            whenOver.run();
        }
    }

    static ActorStoppedException stopped(String name) {
        return new ActorStoppedException("'" + name + "' was stopped before its values had ended");
    }

    /** What a producer sees of its ring. */
    private static final class RingOutput<T> implements GeneratorOutput<T> {
        private final String name;
        private final ValueRing<T> ring;
        private boolean isOver;

        RingOutput(String name, ValueRing<T> ring) {
            this.name = name;
            this.ring = ring;
        }

        @Override
        @SuppressWarnings("NamedLikeContextualKeyword")
        public void yield(T value) {
            if (value == null) {
                throw new NullPointerException("a producer of '" + name + "' has yielded null");
            }
            if (isOver) {
                throw new IllegalStateException("the producer of '" + name
                        + "' has ended, and nothing would get the value: use its output in its code only");
            }
            ring.put(value);
        }

        @Override
        public boolean isWanted() {
            return !isOver && !ring.isClosed();
        }
    }
}
