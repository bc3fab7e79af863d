package io.fibry.examples;

import io.fibry.ActorExecutor;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.examples.frame.Options;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

/** Strategies that a user has written. They decide where and how the turns of actors run. */
public final class OwnStrategy {
    private OwnStrategy() {
    }

    /** A thread of low priority for each actor, which ends when the actor has stopped. */
    static CreationStrategy background() {
        return actor -> new Background(Executors.newSingleThreadExecutor(
                Thread.ofPlatform().name("background-" + actor).priority(Thread.MIN_PRIORITY).factory()));
    }

    private record Background(ExecutorService thread) implements ActorExecutor {
        @Override
        public void execute(Runnable turn) {
            thread.execute(turn);
        }

        @Override
        public void actorStopped() {
            thread.shutdown();
        }
    }

    /** Counts the turns of another strategy, which shows how often an actor was woken. */
    static CreationStrategy counted(CreationStrategy strategy, LongAdder turns) {
        return actor -> {
            var executor = strategy.executorFor(actor);
            return turn -> {
                turns.increment();
                executor.execute(turn);
            };
        };
    }

    /**
     * Runs the example.
     *
     * @param args none
     */
    public static void main(String[] args) {
        Options.read(args);
        var turns = new LongAdder();
        try (var scope = ActorSystem.open("own-strategies")) {
            var indexer = scope.named("indexer").strategy(background())
                    .newActorWithReturn(
                            (String page) -> Thread.currentThread().getName() + " indexed " + page);
            System.out.println(indexer.apply("page 1"));

            var counter = scope.named("counter").strategy(counted(CreationStrategy.fibers(), turns))
                    .newActorWithReturn((Integer n) -> n + 1);
            int n = 0;
            while (n < 10) {
                n = counter.apply(n);
            }
            System.out.println("counted to " + n + " in " + turns.sum() + " turns");
        }
    }
}
