package io.fibry.flow;

import io.fibry.ActorBuilder;
import io.fibry.CreationStrategy;
import io.fibry.OverflowPolicy;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * The options of a generator, of a publisher and of a subscriber. Objects are immutable.
 *
 * @param capacity how many values may wait between the one that makes them and the one that takes them: the look-ahead of a
 *     generator, the buffer of each subscription, the demand of a subscriber; at least one
 * @param overflow what happens to a value that is offered to a full buffer, where the maker does not wait by itself: see
 *     {@linkplain Flows#connected source that pushes}
 * @param actors completes the builder of each actor of the pattern: its strategy, its failure policy, its hooks
 */
public record FlowOptions(int capacity, OverflowPolicy overflow, UnaryOperator<ActorBuilder> actors) {
    private static final int USUAL_CAPACITY = 256;
    private static final int MOST = 1 << 24;

    /**
     * Checks the options.
     *
     * @param capacity from 1 to 16,777,216
     * @param overflow not null; {@link OverflowPolicy#block()} without a time limit, or a policy that does not wait
     * @param actors not null
     * @throws IllegalArgumentException if an option is out of range
     */
    public FlowOptions {
        Objects.requireNonNull(overflow, "overflow");
        Objects.requireNonNull(actors, "actors");
        if (capacity < 1 || capacity > MOST) {
            throw new IllegalArgumentException("capacity must be from 1 to " + MOST + ": " + capacity);
        }
        if (overflow instanceof OverflowPolicy.Block block && block.timeout().isPresent()) {
            throw new IllegalArgumentException("a flow does not wait for room with a time limit: " + overflow
                    + "; choose block() without a limit, or a policy that does not wait");
        }
    }

    /**
     * Returns the usual options: a capacity of 256, and a maker that waits for room.
     *
     * @return the options
     */
    public static FlowOptions usual() {
        return capacity(USUAL_CAPACITY);
    }

    /**
     * Returns options with a capacity, and a maker that waits for room.
     *
     * @param values how many values may wait; at least one
     * @return the options
     */
    public static FlowOptions capacity(int values) {
        return new FlowOptions(values, OverflowPolicy.block(), UnaryOperator.identity());
    }

    /**
     * Returns options with another policy for values that find a full buffer. {@link OverflowPolicy#fail()} ends the
     * subscription that is too slow with an {@link IllegalStateException}.
     *
     * @param policy the policy
     * @return the options
     */
    public FlowOptions withOverflow(OverflowPolicy policy) {
        return new FlowOptions(capacity, policy, actors);
    }

    /**
     * Returns options that complete the builder of each actor of the pattern. The code of a producer runs on a
     * {@linkplain CreationStrategy#fibers() fiber} unless this function chooses another strategy, since a producer
     * waits. On a bounded pool, a producer that waits keeps its thread.
     *
     * @param completion gets the builder of an actor and returns the one that makes it
     * @return the options
     */
    public FlowOptions withActors(UnaryOperator<ActorBuilder> completion) {
        return new FlowOptions(capacity, overflow, completion);
    }
}
