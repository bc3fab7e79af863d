package io.fibry.pool;

import io.fibry.ActorBuilder;
import io.fibry.OverflowPolicy;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;

/**
 * The options of a {@link WorkerPool}: how many workers it has, how many messages may wait for them, and what a message
 * takes. Options are immutable: each {@code with…} method returns another object.
 *
 * <pre>{@code
 * PoolOptions<Page> options = PoolOptions.<Page>scaling(2, 16, Duration.ofSeconds(30), 1_000)
 *         .withOverflow(OverflowPolicy.block(Duration.ofSeconds(1)))
 *         .withKey(Page::site);
 * }</pre>
 *
 * <p>The functions for the weight and the key are called more than once for a message, by several threads. They are to be
 * quick, and to return the same each time.
 *
 * @param <M> type of the messages
 * @param least how many workers there are at all times
 * @param most how many workers there may be
 * @param idle after what time without a message a worker beyond {@code least} stops
 * @param growth how many messages have to wait before one more worker is made
 * @param capacity how many messages may wait
 * @param overflow what happens to one more message
 * @param units how many units the pool has
 * @param weight how many units a message takes while it is handled; by default messages have no weight
 * @param key returns what a message has in common with those whose order has to be kept; by default no order is kept
 * @param actors the settings of the workers
 */
public record PoolOptions<M>(int least, int most, Duration idle, int growth, int capacity,
        OverflowPolicy overflow,
        int units, ToIntFunction<? super M> weight, Function<? super M, ?> key,
        UnaryOperator<ActorBuilder> actors) {
    private static final Duration LONG = Duration.ofMinutes(1);

    /** The weight of each message if messages have none. */
    enum NoWeight implements ToIntFunction<Object> {
        INSTANCE;

        @Override
        public int applyAsInt(Object message) {
            return 0;
        }
    }

    /** The key of each message if no order is kept: the message. */
    enum NoKey implements Function<Object, Object> {
        INSTANCE;

        @Override
        public Object apply(Object message) {
            return message;
        }
    }

    /**
     * Checks the numbers.
     *
     * @param least at least one
     * @param most not less than {@code least}
     * @param idle more than zero
     * @param growth at least one, and no more than {@code capacity}
     * @param capacity at least one
     * @param overflow not null
     * @param units at least one
     * @param weight not null
     * @param key not null
     * @param actors not null
     */
    public PoolOptions {
        Objects.requireNonNull(idle, "idle");
        Objects.requireNonNull(overflow, "overflow");
        Objects.requireNonNull(weight, "weight");
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(actors, "actors");
        if (least < 1) {
            throw new IllegalArgumentException("least must be at least 1: " + least
                    + "; messages would wait for the first worker that is made");
        }
        if (most < least) {
            throw new IllegalArgumentException("most must not be less than least, " + least + ": " + most);
        }
        if (idle.isZero() || idle.isNegative()) {
            throw new IllegalArgumentException("idle must be more than zero: " + idle);
        }
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity must be at least 1: " + capacity);
        }
        if (growth < 1 || growth > capacity) {
            throw new IllegalArgumentException(
                    "growth must be from 1 to the capacity of " + capacity + ": " + growth);
        }
        if (units < 1) {
            throw new IllegalArgumentException("units must be at least 1: " + units);
        }
    }

    /**
     * Returns options for a fixed number of workers. A message beyond the capacity is refused.
     *
     * @param <M> type of the messages
     * @param workers how many workers there are, at least one
     * @param capacity how many messages may wait for them, at least one
     * @return the options
     */
    public static <M> PoolOptions<M> fixed(int workers, int capacity) {
        return of(workers, workers, LONG, capacity);
    }

    /**
     * Returns options for a pool that makes a worker when a message would have to wait, and stops workers that have had
     * no message for some time. A message beyond the capacity is refused.
     *
     * @param <M> type of the messages
     * @param least how many workers there are at all times, at least one
     * @param most how many workers there may be
     * @param idle after what time without a message a worker beyond {@code least} stops; more than zero
     * @param capacity how many messages may wait for them, at least one
     * @return the options
     */
    public static <M> PoolOptions<M> scaling(int least, int most, Duration idle, int capacity) {
        return of(least, most, idle, capacity);
    }

    private static <M> PoolOptions<M> of(int least, int most, Duration idle, int capacity) {
        return new PoolOptions<>(least, most, idle, 1, capacity, OverflowPolicy.reject(), Integer.MAX_VALUE,
                NoWeight.INSTANCE, NoKey.INSTANCE, UnaryOperator.identity());
    }

    /**
     * Returns the same options with another policy for a message beyond the capacity.
     *
     * @param policy the policy, any of those of mailboxes; to refuse the message by default
     * @return the new options
     */
    public PoolOptions<M> withOverflow(OverflowPolicy policy) {
        return new PoolOptions<>(least, most, idle, growth, capacity, policy, units, weight, key, actors);
    }

    /**
     * Returns the same options with another number of messages that make the pool grow.
     *
     * @param waiting how many messages have to wait before one more worker is made; 1 by default
     * @return the new options
     */
    public PoolOptions<M> withGrowth(int waiting) {
        return new PoolOptions<>(least, most, idle, waiting, capacity, overflow, units, weight, key, actors);
    }

    /**
     * Returns the same options for messages that take different amounts of something. Each message takes its units
     * before a worker begins with it, and gives them back after it has met its fate. Messages begin in their order: a
     * message for which there are not enough units lets none overtake it.
     *
     * @param all how many units the pool has, at least one
     * @param weightOf how many units a message takes, from one to {@code all}. A message of another weight is refused by
     *     an {@link IllegalArgumentException} that the sender gets
     * @return the new options
     */
    public PoolOptions<M> withWeight(int all, ToIntFunction<? super M> weightOf) {
        return new PoolOptions<>(least, most, idle, growth, capacity, overflow, all,
                Objects.requireNonNull(weightOf, "weightOf"), key, actors);
    }

    /**
     * Returns the same options for messages whose order matters. The messages of one sender with one key are handled in
     * the order in which they were sent, and never two of them at a time. Messages of different keys are handled
     * independently of each other.
     *
     * @param keyOf returns the key of a message; if it returns null, no order is kept for that message
     * @return the new options
     */
    public PoolOptions<M> withKey(Function<? super M, ?> keyOf) {
        return new PoolOptions<>(least, most, idle, growth, capacity, overflow, units, weight,
                Objects.requireNonNull(keyOf, "keyOf"), actors);
    }

    /**
     * Returns the same options with other settings of the workers: their strategy, their failure policy, hooks.
     *
     * @param settings changes the builder of the workers. Its mailbox, name and idle time are set by the pool
     * @return the new options
     */
    public PoolOptions<M> withActors(UnaryOperator<ActorBuilder> settings) {
        return new PoolOptions<>(least, most, idle, growth, capacity, overflow, units, weight, key, settings);
    }

    boolean hasWeights() {
        return weight != NoWeight.INSTANCE;
    }

    boolean hasKeys() {
        return key != NoKey.INSTANCE;
    }
}
