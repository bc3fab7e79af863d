package io.fibry.internal.handle;

import io.fibry.AskCycleException;
import io.fibry.StopReport;
import io.fibry.event.Stopped;
import io.fibry.internal.actor.Answer;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Current;
import io.fibry.internal.actor.Supervision.Watcher;
import io.fibry.internal.run.Parking;
import io.fibry.internal.run.Runner;
import io.fibry.internal.run.Strategies;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A future of the end of an actor. It is an answer of the actor, so a thread that waits for it is seen in a cycle. The
 * actor lists it among its watchers until it is complete; a fiber completes it, since callbacks are foreign code.
 */
final class EndAnswer extends Answer<StopReport> implements Watcher {
    private EndAnswer(Cell actor) {
        super(actor);
    }

    static CompletableFuture<StopReport> of(Cell actor) {
        var end = new EndAnswer(actor);
        if (actor.hasExited()) {
            end.succeed(Stopping.reportOfEnd(actor));
        } else {
            actor.supervision().addWatcher(end, actor);
        }
        return end;
    }

    @Override
    public void hear(Cell ended, Stopped how) {
        Strategies.FIBER_EXECUTOR.execute(new Completion(this, ended));
    }

    private record Completion(EndAnswer answer, Cell ended) implements Runnable {
        @Override
        public void run() {
            answer.succeed(Stopping.reportOfEnd(ended));
        }
    }

    @Override
    public boolean isOfMessage() {
        return false;
    }

    @Override
    public boolean mayFail() {
        return false; // the end of an actor cannot
    }

    /** Called when the user or the end of the actor has completed this future. The actor then no longer lists it. */
    @Override
    public void settled() {
        var known = target().extendedState().supervisionIfAny();
        if (known != null) {
            known.removeWatcher(this);
        }
    }

    @Override
    public void requireWaitable() {
        var turn = Current.turn();
        if (turn == null || isDone() || !Current.isWithin(target())) {
            return;
        }
        for (var one = turn.cell; one != null; one = one.spec.parent) {
            if (one == target()) {
                Stopping.requireOutside(one);
            }
        }
        // The actor is below on this stack. Whether another actor runs there depends on timing, so the wait is
        // refused as a cycle, as it is elsewhere.
        throw new AskCycleException("actor '" + turn.cell.name() + "' would wait for the end of actor '"
                + target().name() + "', which waits for it; wait outside the actors");
    }

    @Override
    public boolean mayRunOnTop() {
        return false;
    }

    @Override
    public void runTarget(@Nullable Runner runner) {
        Parking.letGo();
    }

    /** Does nothing: the actor will end even if this thread cannot wait for the end. */
    @Override
    public void failAsk(AskCycleException cycle) {
    }

    @Override
    public String details() {
        return "it has not stopped; it is " + target().state();
    }
}
