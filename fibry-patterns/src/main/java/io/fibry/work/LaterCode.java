package io.fibry.work;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.Stereotypes;
import io.fibry.function.Body;
import io.fibry.time.Cancellable;
import io.fibry.time.Schedule;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Code that runs later in an actor of a scope. One of three things happens to it: it runs, it is cancelled, or it is
 * <em>lost</em> because the scope ends or makes no actor for it. Code that throws is lost as well, and the exception is
 * reported as a failure of its actor. When any of this has happened, nothing of the code is left in the scope.
 *
 * <p>A scope that cancels its timers tells nobody. So code that waits for a time has a <em>guard</em>, an actor without
 * messages that the scope stops. A fiber tells of its end, so callbacks of the program do not hold up the scope. The
 * thread that wants to run, cancel or lose the code takes it first. The thread that begins it sets the guard and the
 * timer and then looks whether the code was taken, and a thread that takes it then reads both: one of the two ends them.
 */
final class LaterCode implements Cancellable {
    /** The phase of a guard that ends when the scope begins to close: no timer fires after that. */
    static final int UNTIL_CLOSE = -1;
    /** The phase of a guard that ends when the other actors of the scope have ended. */
    static final int UNTIL_END = Integer.MAX_VALUE - 1;

    /** When the code is tried again if the strategy of the scope has refused to run it. */
    private static final Duration AGAIN = Duration.ofSeconds(1);

    /** Runs the guards on fibers, whatever the strategy of the scope is. */
    private static final CreationStrategy GUARDS =
            actor -> CreationStrategy.fibers().executorFor(actor);

    private final Environment environment;
    private final Body code;
    private final Consumer<Throwable> lost;
    /** The first thread takes the code; the one that begins it ends guard and timer itself if another came first. */
    private final AtomicBoolean isTaken = new AtomicBoolean();
    /** Set by the thread that begins the code, which then reads {@link #isTaken}. */
    private volatile @Nullable Actor<?, ?> guard;
    /** Set by the thread that begins the code. */
    private volatile @Nullable Future<?> end;
    /** Set by the thread that begins the code. */
    private volatile @Nullable Cancellable timer;

    LaterCode(Environment environment, Body code, Consumer<Throwable> lost) {
        this.environment = environment;
        this.code = code;
        this.lost = lost;
    }

    private ActorScope scope() {
        return environment.scope();
    }

    /** Lets the code run after a pause, unless the phase in which its guard ends comes before. */
    void beginAfter(Duration pause, int phase) {
        try {
            var watching = scope().anonymous().strategy(GUARDS).stopPhase(phase).newActor((Object none) -> {
            });
            guard = watching;
            var ending = watching.onStopped();
            end = ending;
            var unused = ending.thenRun(this::end);
            assert SwitchPoints.here();
            if (pause.isZero() || environment.isClockGoing()) {
                timer = scope().schedule(Schedule.fixedDelay(AGAIN).startingAfter(pause), this::run);
            }
        } catch (IllegalStateException closed) {
            lose(environment.ended(closed));
        } catch (RuntimeException | Error notBegun) {
            lose(notBegun);
        }
        assert SwitchPoints.here();
        if (isTaken.get()) {
            endTimer();
        }
    }

    /**
     * Lets the code run at once in an actor of its own.
     *
     * @throws IllegalStateException if the scope is closed; the code is not lost then
     */
    void beginApart() {
        Stereotypes.with(scope().anonymous().onExit(this::end)).runOnce(this::run);
    }

    private boolean take() {
        return isTaken.compareAndSet(false, true);
    }

    private void run() throws Exception {
        if (!take()) {
            return;
        }
        endTimer();
        try {
            code.run();
        } catch (Throwable failure) {
            lost.accept(failure);
            throw failure;
        }
    }

    /** Called at the end of the actor that guards the code, or that was to run it. */
    private void end() {
        if (!isTaken.get()) {
            // mutant: wait-outlives-its-scope
            lose(environment.ended());
        }
    }

    /** Tells why the code does not run, unless it runs or was cancelled. */
    void lose(Throwable why) {
        if (take()) {
            endTimer();
            lost.accept(why);
        }
    }

    @Override
    public boolean cancel() {
        if (!take()) {
            return false;
        }
        endTimer();
        return true;
    }

    private void endTimer() {
        var waiting = timer;
        if (waiting != null) {
            waiting.cancel();
        }
        var ending = end;
        if (ending != null) {
            ending.cancel(false); // else its completion would need a thread
        }
        var watching = guard;
        if (watching != null) {
            watching.sendPoisonPill();
        }
    }
}
