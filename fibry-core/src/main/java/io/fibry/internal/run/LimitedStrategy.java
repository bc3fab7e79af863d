package io.fibry.internal.run;

import io.fibry.ActorExecutor;
import io.fibry.CreationStrategy;
import io.fibry.internal.run.Placement.Fairness;
import java.util.concurrent.Executor;

/**
 * A strategy of which only so many turns run at a time. A turn that has spent its budget queues up again.
 *
 * @param base where the turns run
 * @param turnstile lets them in
 */
public record LimitedStrategy(CreationStrategy base, RunningLimit turnstile) implements Placement.Known {
    private record Behind(LimitedStrategy strategy, Placement placement,
            Executor executor) implements ActorExecutor {
        @Override
        public void execute(Runnable turn) {
            strategy.turnstile.execute(placement, executor, turn);
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
        return new Placement(shared == null ? null : new Behind(this, below, shared), Fairness.RESUBMITS,
                below.boundedPool(), below.mayRunInPlace());
    }

    @Override
    public Executor executorFor(String actor) {
        return new Behind(this, Placement.of(base), base.executorFor(actor));
    }

    @Override
    public String toString() {
        return "limited(" + base + ", " + turnstile + ")";
    }
}
