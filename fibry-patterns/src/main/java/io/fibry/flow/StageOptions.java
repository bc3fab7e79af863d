package io.fibry.flow;

import io.fibry.ActorBuilder;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * The options of one stage of a pipeline. Objects are immutable.
 *
 * @param name the name of the stage in reports; empty for one that is made up
 * @param parallelism how many values the stage works on at a time; from 1 to 65,536
 * @param ordered whether values leave the stage for the next one in the order in which they came
 * @param capacity how many values may wait in front of the stage, which then has actors of its own; from 1 to
 *     16,777,216, or zero: 16 if it has actors of its own anyway, otherwise none
 * @param onFailure what follows if the function throws
 * @param actors completes the builders of the actors that work for the stage
 */
public record StageOptions(String name, int parallelism, boolean ordered, int capacity, OnFailure onFailure,
        UnaryOperator<ActorBuilder> actors) {
    private static final int USUAL_CAPACITY = 16;
    private static final UnaryOperator<ActorBuilder> AS_THEY_ARE = UnaryOperator.identity();
    private static final int MOST_WAITING = 1 << 24;
    private static final int MOST_WORKING = 1 << 16;

    /** The consequence when the function of a stage throws. */
    public enum OnFailure {
        /** The pipeline ends, and its result fails with the exception. */
        STOP,
        /** The value is dropped and counted; the exception is reported as a failure of the actor that works for the stage. */
        DROP
    }

    /**
     * Checks the options.
     *
     * @param name not null
     * @param parallelism from 1 to 65,536
     * @param ordered true or false
     * @param capacity from 0 to 16,777,216
     * @param onFailure not null
     * @param actors not null
     * @throws IllegalArgumentException if a number is out of range
     */
    public StageOptions {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(onFailure, "onFailure");
        Objects.requireNonNull(actors, "actors");
        check("parallelism", parallelism, 1, MOST_WORKING);
        check("capacity", capacity, 0, MOST_WAITING);
    }

    private static void check(String what, int number, int least, int most) {
        if (number < least || number > most) {
            throw new IllegalArgumentException(
                    what + " must be from " + least + " to " + most + ": " + number);
        }
    }

    /** Tells whether the stage has actors of its own. If not, the actor of the stage before it, or of the source, calls it. */
    boolean hasOwnActors() {
        return parallelism > 1 || capacity > 0 || hasOwnBuilder();
    }

    boolean hasOwnBuilder() {
        return actors != AS_THEY_ARE;
    }

    /** Returns how many values may wait in front of actors of its own. */
    int places() {
        return capacity == 0 ? USUAL_CAPACITY : capacity;
    }

    /**
     * Returns the usual options: one value at a time, called by the actor of the stage before it, and the first failure
     * ends the pipeline.
     *
     * @return the options
     */
    public static StageOptions usual() {
        return parallel(1);
    }

    /**
     * Returns options for a stage that works on several values at a time, and keeps their order.
     *
     * @param values how many; at least one
     * @return the options
     */
    public static StageOptions parallel(int values) {
        return new StageOptions("", values, true, 0, OnFailure.STOP, AS_THEY_ARE);
    }

    /**
     * Returns options with a name.
     *
     * @param stage the name of the stage
     * @return the options
     */
    public StageOptions withName(String stage) {
        return new StageOptions(stage, parallelism, ordered, capacity, onFailure, actors);
    }

    /**
     * Returns options of a stage whose values leave it as soon as they are done.
     *
     * @return the options
     */
    public StageOptions unordered() {
        return new StageOptions(name, parallelism, false, capacity, onFailure, actors);
    }

    /**
     * Returns options of a stage with actors of its own, and a capacity: it and the stages before it work at the same time.
     *
     * @param values how many values may wait in front of the stage; zero for the usual number
     * @return the options
     */
    public StageOptions withCapacity(int values) {
        return new StageOptions(name, parallelism, ordered, values, onFailure, actors);
    }

    /**
     * Returns options with another reaction to failures.
     *
     * @param reaction what follows if the function throws
     * @return the options
     */
    public StageOptions withOnFailure(OnFailure reaction) {
        return new StageOptions(name, parallelism, ordered, capacity, reaction, actors);
    }

    /**
     * Returns options that complete the builders of the actors that work for the stage: their strategy and their hooks.
     *
     * @param completion gets the builder of an actor and returns the one that makes it
     * @return the options
     */
    public StageOptions withActors(UnaryOperator<ActorBuilder> completion) {
        return new StageOptions(name, parallelism, ordered, capacity, onFailure, completion);
    }
}
