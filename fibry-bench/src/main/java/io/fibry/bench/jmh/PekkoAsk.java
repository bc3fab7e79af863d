package io.fibry.bench.jmh;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;
import org.apache.pekko.pattern.Patterns;

/** Asks by Apache Pekko. Its system is made once for each JVM. */
final class PekkoAsk {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ActorSystem SYSTEM = Pekko.system();

    private PekkoAsk() {
    }

    private static final class Squarer extends AbstractActor {
        @Override
        public Receive createReceive() {
            return receiveBuilder().match(Integer.class, n -> getSender().tell(n * n, getSelf())).build();
        }
    }

    /**
     * An asker that does not block, as the documentation advises: the answer is piped to the asker, which then asks
     * again.
     */
    private static final class Asking extends AbstractActor {
        private final ActorRef squarer;
        private final int asks;
        private final CompletableFuture<Integer> result;
        private int asked;
        private int sum;

        Asking(ActorRef squarer, int asks, CompletableFuture<Integer> result) {
            this.squarer = squarer;
            this.asks = asks;
            this.result = result;
        }

        @Override
        public void preStart() {
            next();
        }

        @Override
        public Receive createReceive() {
            return receiveBuilder().match(Integer.class, answer -> {
                sum += answer;
                next();
            }).build();
        }

        private void next() {
            if (asked == asks) {
                result.complete(sum);
            } else {
                Patterns.pipe(Patterns.ask(squarer, asked++, PATIENCE), getContext().getDispatcher())
                        .to(getSelf());
            }
        }
    }

    private static ActorRef squarer() {
        return SYSTEM.actorOf(Props.create(Squarer.class, Squarer::new));
    }

    static int fromActor(int asks) {
        var squarer = squarer();
        var result = new CompletableFuture<Integer>();
        var asking = SYSTEM.actorOf(Props.create(Asking.class, () -> new Asking(squarer, asks, result)));
        var sum = result.join();
        SYSTEM.stop(asking);
        SYSTEM.stop(squarer);
        return sum;
    }

    static int fromOutside(int asks) throws ExecutionException, InterruptedException {
        var squarer = squarer();
        int sum = 0;
        for (int i = 0; i < asks; i++) {
            sum += (Integer) Patterns.ask(squarer, i, PATIENCE).toCompletableFuture().get();
        }
        SYSTEM.stop(squarer);
        return sum;
    }
}
