package io.fibry;

import io.fibry.text.RecordText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What follows when a handler throws. The failure itself is always reported, once, and the message that
 * failed is never handled again.
 *
 * <pre>{@code
 * FailurePolicy.when(IOException.class, FailurePolicy.restart(5, Duration.ofMinutes(1))
 *                 .withBackoff(Duration.ofMillis(100), Duration.ofSeconds(30), 0.5))
 *         .when(IllegalArgumentException.class, FailurePolicy.resume())
 *         .otherwise(FailurePolicy.escalate());
 * }</pre>
 *
 * <p>Policies are immutable values.
 */
public sealed interface FailurePolicy {
    /**
     * Go on with the next message. The default.
     *
     * @return the policy
     */
    static FailurePolicy resume() {
        return new Resume();
    }

    /**
     * Stop the actor; what is queued becomes undelivered.
     *
     * @return the policy
     */
    static FailurePolicy stop() {
        return new Stop();
    }

    /**
     * Restart the actor, at most ten times in a minute. See {@link Restart}.
     *
     * @return the policy
     */
    static Restart restart() {
        return restart(10, Duration.ofMinutes(1));
    }

    /**
     * Restart the actor, but not for ever: see {@link Restart}.
     *
     * @param limit how many restarts there may be in the window, at least one
     * @param window the time in which they are counted, more than zero
     * @return the policy
     */
    static Restart restart(int limit, Duration window) {
        return new Restart(limit, window, Backoff.none());
    }

    /**
     * Stop the actor and make its parent fail, whose own policy then decides: see {@link Escalate}.
     *
     * @return the policy
     */
    static FailurePolicy escalate() {
        return new Escalate();
    }

    /**
     * Decide by the class of what was thrown: see {@link Decide}.
     *
     * @param thrown a class of exceptions
     * @param policy what follows those
     * @return a policy to which further classes may be added; what is in none is {@link #resume() resumed}
     */
    static Decide when(Class<? extends Throwable> thrown, FailurePolicy policy) {
        return new Decide(List.of(new Decide.Case(thrown, policy)), resume());
    }

    /** Go on with the next message. An actor that is one piece of code stops: it has no next message. */
    record Resume() implements FailurePolicy {
    }

    /** Stop the actor. */
    record Stop() implements FailurePolicy {
    }

    /**
     * Stop the actor and make its parent fail with an {@link EscalatedException}. An actor without a parent
     * just stops. Either way it is reported as {@link io.fibry.event.Escalated}.
     */
    record Escalate() implements FailurePolicy {
    }

    /**
     * Begin anew. The actor's timers are cancelled; its children stop; it watches nobody any more; its handler
     * or state is made anew by the factory or supplier that made it, and a body starts from its beginning. The
     * actor itself stays the same: its handle, its name, its exit hooks, and the messages that wait, in their
     * order. A handler that was not made by a factory is used again.
     *
     * <p>If making the handler or state fails, that is reported and treated as any failure is: it is decided by
     * this policy and counts for the limit.
     *
     * <p>If there would be more than {@code limit} restarts in the window, the actor stops instead and the
     * failure is escalated as by {@link Escalate}. The pauses of the back-off do not count as time, so an
     * actor that always fails reaches the limit however long they are.
     *
     * @param limit how many restarts there may be in the window; {@link Integer#MAX_VALUE} for any number
     * @param window the time in which they are counted
     * @param backoff the pause before a restart
     */
    record Restart(int limit, Duration window, Backoff backoff) implements FailurePolicy {
        /**
         * Checks the numbers.
         *
         * @param limit at least one
         * @param window more than zero
         * @param backoff not null
         */
        public Restart {
            Objects.requireNonNull(window, "window");
            Objects.requireNonNull(backoff, "backoff");
            if (limit < 1) {
                throw new IllegalArgumentException("limit must be at least 1: " + limit
                        + "; FailurePolicy.escalate() does not restart at all");
            }
            if (window.isZero() || window.isNegative()) {
                throw new IllegalArgumentException("window must be more than zero: " + window);
            }
        }

        /**
         * The same with a pause before each restart: {@code min} at first, then twice as long each time, up to
         * {@code max}. After it has run for {@code max} without a failure it begins with {@code min} again.
         * During the pause the actor holds no thread and its messages wait. Asking it to stop ends the pause.
         *
         * @param min the first pause, more than zero
         * @param max the longest pause, not less than the first
         * @param jitter which part of a pause is random, from 0 to 1: it is shortened by up to so much, so that
         *            actors that failed together do not come back together
         * @return the policy
         */
        public Restart withBackoff(Duration min, Duration max, double jitter) {
            return new Restart(limit, window, new Backoff(min, max, jitter));
        }
    }

    /**
     * The pauses before restarts.
     *
     * @param min the first pause
     * @param max the longest
     * @param jitter which part of a pause is random, from 0 to 1
     */
    record Backoff(Duration min, Duration max, double jitter) {
        private static final Backoff NONE = new Backoff(Duration.ZERO, Duration.ZERO, 0);

        /**
         * Checks the numbers.
         *
         * @param min more than zero, or zero if the longest is
         * @param max not less than the first
         * @param jitter from 0 to 1
         */
        public Backoff {
            Objects.requireNonNull(min, "min");
            Objects.requireNonNull(max, "max");
            if (min.isNegative() || (min.isZero() && !max.isZero())) {
                throw new IllegalArgumentException("min must be more than zero: " + min);
            }
            if (max.compareTo(min) < 0) {
                throw new IllegalArgumentException("max must not be less than min, " + min + ": " + max);
            }
            if (!(jitter >= 0 && jitter <= 1)) {
                throw new IllegalArgumentException("jitter must be from 0 to 1: " + jitter);
            }
        }

        /**
         * No pauses.
         *
         * @return the back-off
         */
        public static Backoff none() {
            return NONE;
        }
    }

    /**
     * Decide by the class of what was thrown. Of the given classes the one nearest to it counts: its own, else
     * its superclass, and so on. So their order does not matter.
     *
     * @param cases the classes and what follows them
     * @param otherwise what follows what is in none of them
     */
    record Decide(List<Case> cases, FailurePolicy otherwise) implements FailurePolicy {
        /**
         * Checks that no class is there twice.
         *
         * @param cases is copied
         * @param otherwise not null
         */
        public Decide {
            cases = List.copyOf(Objects.requireNonNull(cases, "cases"));
            Objects.requireNonNull(otherwise, "otherwise");
            var classes = cases.stream().map(Case::thrown).toList();
            for (var thrown : classes) {
                if (classes.indexOf(thrown) != classes.lastIndexOf(thrown)) {
                    throw new IllegalArgumentException("what follows " + thrown.getName() + " is said twice");
                }
            }
        }

        /**
         * A class and what follows it.
         *
         * @param thrown the class
         * @param policy what follows it
         */
        public record Case(Class<? extends Throwable> thrown, FailurePolicy policy) {
            /**
             * Checks that both are there.
             *
             * @param thrown not null
             * @param policy not null
             */
            public Case {
                Objects.requireNonNull(thrown, "thrown");
                Objects.requireNonNull(policy, "policy");
            }

            @Override
            public String toString() {
                return RecordText.of(this).with("thrown", thrown).with("policy", policy).toString();
            }
        }

        /**
         * The same with one class more.
         *
         * @param thrown a class of exceptions
         * @param policy what follows those
         * @return the policy
         */
        public Decide when(Class<? extends Throwable> thrown, FailurePolicy policy) {
            var more = new ArrayList<>(cases);
            more.add(new Case(thrown, policy));
            return new Decide(more, otherwise);
        }

        /**
         * The same with another policy for what is in none of the classes.
         *
         * @param policy what follows the others; {@link FailurePolicy#resume()} by default
         * @return the policy
         */
        public Decide otherwise(FailurePolicy policy) {
            return new Decide(cases, policy);
        }

        /**
         * The policy for a failure.
         *
         * @param failure what was thrown
         * @return what follows it
         */
        public FailurePolicy policyFor(Throwable failure) {
            for (Class<?> type = failure.getClass(); type != Object.class; type = type.getSuperclass()) {
                var found = policyFor(type);
                if (found.isPresent()) {
                    return found.get();
                }
            }
            return otherwise;
        }

        private Optional<FailurePolicy> policyFor(Class<?> type) {
            return cases.stream().filter(one -> one.thrown().equals(type)).map(Case::policy).findFirst();
        }
    }
}
