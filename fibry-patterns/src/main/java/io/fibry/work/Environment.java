package io.fibry.work;

import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
import io.fibry.Stereotypes;
import io.fibry.function.Body;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The name and the listener of a policy, and its scope, which has a clock and actors in which code runs later. It keeps
 * nothing in the scope.
 */
final class Environment {
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 2);

    private final ActorScope scope;
    private final String name;
    private final Consumer<? super WorkEvent> listener;

    Environment(ActorScope scope, String name, Consumer<? super WorkEvent> listener) {
        this.scope = Objects.requireNonNull(scope, "scope");
        this.name = Objects.requireNonNull(name, "name");
        this.listener = listener;
    }

    /**
     * Returns the environment of a policy. A scope that is being closed still makes actors, whose code may need a policy.
     *
     * @param what the kind of the policy, as the exception names it
     * @throws IllegalStateException if the scope is closed
     */
    static Environment ofPolicy(String what, ActorScope scope, String name,
            Consumer<? super WorkEvent> listener) {
        var environment = new Environment(scope, name, listener);
        if (scope.isClosing() && scope.onStopped().isDone()) {
            throw new IllegalStateException(
                    what + " '" + name + "' cannot be opened, since scope '" + scope.name()
                            + "' is closed; use a scope that is open");
        }
        return environment;
    }

    /** Returns a duration in nanoseconds, and 146 years at most: times that are further apart cannot be compared. */
    static long nanos(Duration duration) {
        return duration.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : duration.toNanos();
    }

    ActorScope scope() {
        return scope;
    }

    String name() {
        return name;
    }

    long nanoTime() {
        return scope.time().nanoTime();
    }

    /** Returns whether the clock can go on: one that is moved by hand stands when it has reached the greatest time. */
    boolean isClockGoing() {
        return nanoTime() != Long.MAX_VALUE;
    }

    /** Returns code that has not begun, with what to do if it is lost. */
    LaterCode later(Body code, Consumer<Throwable> lost) {
        return new LaterCode(this, code, lost);
    }

    /** Returns the exception for code that cannot begin because the scope has ended. */
    ActorStoppedException ended() {
        return new ActorStoppedException("the scope '" + scope.name() + "' of '" + name
                + "' has ended, so what waited there to begin does not begin; open '" + name
                + "' in a scope that lasts longer");
    }

    /** Returns the same exception, with the exception of the closed scope as its cause. */
    ActorStoppedException ended(IllegalStateException closed) {
        var ended = ended();
        ended.initCause(closed);
        return ended;
    }

    void tell(WorkEvent event) {
        try {
            listener.accept(event);
        } catch (Throwable failure) {
            report(failure);
        }
    }

    /**
     * Reports a failure of code of the program to the listeners of the scope, as that of an actor of its own. If the scope
     * makes no actor any more, the failure is reported by the root scope.
     */
    void report(Throwable failure) {
        try {
            failIn(scope.anonymous(), failure);
        } catch (RuntimeException | Error closed) {
            failIn(ActorSystem.anonymous(), failure);
        }
    }

    private static void failIn(ActorBuilder builder, Throwable failure) {
        Stereotypes.with(builder).runOnce(() -> {
            if (failure instanceof Error error) {
                throw error;
            }
            throw failure instanceof Exception exception ? exception : new IllegalStateException(failure);
        });
    }
}
