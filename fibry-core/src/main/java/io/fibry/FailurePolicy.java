package io.fibry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Decides what follows when a handler throws. The failure itself is always reported, once. The message that failed is
 * never handled again.
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
     * Returns the policy to go on with the next message. This is the default.
     *
     * @return the policy
     */
    static FailurePolicy resume() {
        return new Resume();
    }

    /**
     * Returns the policy to stop the actor. The messages that are queued become undelivered.
     *
     * @return the policy
     */
    static FailurePolicy stop() {
        return new Stop();
    }

    /**
     * Returns the policy to restart the actor, at most ten times in a minute. See {@link Restart}.
     *
     * @return the policy
     */
    static Restart restart() {
        return restart(10, Duration.ofMinutes(1));
    }

    /**
     * Returns the policy to restart the actor, a limited number of times. See {@link Restart}.
     *
     * @param limit how many restarts there may be in the window, at least one
     * @param window the time in which they are counted, more than zero
     * @return the policy
     */
    static Restart restart(int limit, Duration window) {
        return new Restart(limit, window, Backoff.none());
    }

    /**
     * Returns the policy to stop the actor and to make its parent fail. The policy of the parent then decides. See
     * {@link Escalate}.
     *
     * @return the policy
     */
    static FailurePolicy escalate() {
        return new Escalate();
    }

    /**
     * Returns a policy that depends on the class of the exception. See {@link Decide}.
     *
     * @param thrown a class of exceptions
     * @param policy the policy for these exceptions
     * @return a policy to which further classes may be added; for an exception of no such class it {@linkplain
     *     #resume() resumes}
     */
    static Decide when(Class<? extends Throwable> thrown, FailurePolicy policy) {
        return new Decide(List.of(new Decide.Case(thrown, policy)), resume());
    }

    /**
     * The actor goes on with the next message. An actor that is one piece of code stops, because it has no next
     * message.
     */
    record Resume() implements FailurePolicy {
    }

    /** The actor stops. */
    record Stop() implements FailurePolicy {
    }

    /**
     * The actor stops and makes its parent fail with an {@link EscalatedException}. If the actor has no parent, it only
     * stops. In both cases an {@link io.fibry.event.Escalated} event is reported.
     */
    record Escalate() implements FailurePolicy {
    }

    /**
     * The actor starts again. Its timers are cancelled, its children stop, and its watches end. The factory or supplier
     * that made its handler or state makes a new one; a body starts from its beginning. The actor itself stays the
     * same: it keeps its handle, its name, its exit hooks, and the messages that wait, in their order. A handler that
     * was not made by a factory is used again.
     *
     * <p>If the factory or supplier throws, this is reported and treated as any other failure: this policy decides, and
     * the failure counts for the limit.
     *
     * <p>If there would be more than {@code limit} restarts in the window, the actor stops instead, and the failure is
     * escalated as by {@link Escalate}. The pauses of the back-off do not count as time, so an actor that always fails
     * reaches the limit, however long the pauses are.
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
         * Returns the same policy with a pause before each restart. The first pause takes {@code min}, and each further
         * pause is twice as long, up to {@code max}. After the actor has run for {@code max} without a failure, the
         * pauses begin with {@code min} again. During a pause the actor holds no thread, and its messages wait. A
         * request to stop ends the pause.
         *
         * @param min the first pause, more than zero
         * @param max the longest pause, not less than the first
         * @param jitter which part of a pause is random, from 0 to 1. A pause is shortened by up to this part, so that
         *     actors that failed together do not start again together
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
     * @param max the longest pause
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
         * Returns a back-off without pauses.
         *
         * @return the back-off
         */
        public static Backoff none() {
            return NONE;
        }
    }

    /**
     * The class of the exception decides. Of the given classes, the nearest one counts: the class of the exception
     * itself, otherwise its superclass, and so on. So the order of the cases does not matter.
     *
     * @param cases the classes and their policies
     * @param otherwise the policy for an exception of none of the classes
     */
    record Decide(List<Case> cases, FailurePolicy otherwise) implements FailurePolicy {
        /**
         * Checks that no class occurs twice.
         *
         * @param cases is copied
         * @param otherwise not null
         */
        public Decide {
            cases = List.copyOf(Objects.requireNonNull(cases, "cases"));
            Objects.requireNonNull(otherwise, "otherwise");
            var classes = new HashSet<Class<?>>();
            for (var one : cases) {
                if (!classes.add(one.thrown())) {
                    throw new IllegalArgumentException(
                            "what follows " + one.thrown().getName() + " is said twice");
                }
            }
        }

        /**
         * A class of exceptions and its policy.
         *
         * @param thrown the class
         * @param policy the policy for these exceptions
         */
        public record Case(Class<? extends Throwable> thrown, FailurePolicy policy) {
            /**
             * Checks that neither is null.
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
                return "Case[thrown=" + thrown.getName() + ", policy=" + policy + "]";
            }
        }

        /**
         * Returns the same policy with one more class.
         *
         * @param thrown a class of exceptions
         * @param policy the policy for these exceptions
         * @return the policy
         */
        public Decide when(Class<? extends Throwable> thrown, FailurePolicy policy) {
            var more = new ArrayList<>(cases);
            more.add(new Case(thrown, policy));
            return new Decide(more, otherwise);
        }

        /**
         * Returns the same policy with another policy for an exception of none of the classes.
         *
         * @param policy the policy for all other exceptions; {@link FailurePolicy#resume()} by default
         * @return the policy
         */
        public Decide otherwise(FailurePolicy policy) {
            return new Decide(cases, policy);
        }

        /**
         * Returns the policy for a failure.
         *
         * @param failure the exception
         * @return its policy
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
            for (var one : cases) {
                if (one.thrown().equals(type)) {
                    return Optional.of(one.policy());
                }
            }
            return Optional.empty();
        }
    }
}
