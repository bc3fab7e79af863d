package io.fibry.internal.run;

import io.fibry.ActorExecutor;
import io.fibry.CreationStrategy;
import io.fibry.internal.run.Placement.Fairness;
import java.util.concurrent.Executor;

/**
 * A strategy that runs at most a number of jobs at a time. A job that has spent its budget queues up again.
 *
 * @param base where the jobs run
 * @param limit the limit of running jobs
 */
public record LimitedStrategy(CreationStrategy base, RunningLimit limit) implements Placement.Known {
    private record LimitedExecutor(LimitedStrategy strategy, Placement placement,
            Executor executor) implements ActorExecutor {
        @Override
        public void execute(Runnable job) {
            strategy.limit.execute(placement, executor, job);
        }

        @Override
        public void actorStopped() {
            if (executor instanceof ActorExecutor own) {
                own.actorStopped();
            }
        }
    }

    @Override
    public Placement placement() {
        var below = Placement.of(base);
        var shared = below.executor();
        return new Placement(shared == null ? null : new LimitedExecutor(this, below, shared),
                Fairness.RESUBMITS,
                below.boundedPool(), below.mayRunInPlace());
    }

    @Override
    public Executor executorFor(String actor) {
        return new LimitedExecutor(this, Placement.of(base), base.executorFor(actor));
    }

    @Override
    public String toString() {
        return "limited(" + base + ", " + limit + ")";
    }
}
