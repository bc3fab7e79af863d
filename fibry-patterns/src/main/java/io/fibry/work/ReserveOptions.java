package io.fibry.work;

import io.fibry.ActorBuilder;
import io.fibry.FailurePolicy.Backoff;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Options of a {@link Reserve}. Objects are immutable: each {@code with…} method returns another object.
 *
 * @param least the reserve is refilled when it has fewer values than these
 * @param most how many values it has at most
 * @param waiting how many may wait for a value at a time
 * @param backoff the pauses after which a refill that has failed is tried again; if empty, those who wait get the failure
 * @param actors the settings of the actor that refills the reserve
 */
public record ReserveOptions(int least, int most, int waiting, Optional<Backoff> backoff,
        UnaryOperator<ActorBuilder> actors) {
    private static final int WAITING = 10_000;

    /**
     * Checks the numbers.
     *
     * @param least at least one
     * @param most not less than {@code least}
     * @param waiting zero or more
     * @param backoff not null
     * @param actors not null
     */
    public ReserveOptions {
        if (least < 1) {
            throw new IllegalArgumentException("least must be at least 1: " + least);
        }
        if (most < least) {
            throw new IllegalArgumentException("most must not be less than least, " + least + ": " + most);
        }
        if (waiting < 0) {
            throw new IllegalArgumentException("waiting must not be negative: " + waiting);
        }
        Objects.requireNonNull(backoff, "backoff");
        Objects.requireNonNull(actors, "actors");
    }

    /**
     * Returns options. Up to 10,000 may wait for a value, and they get the failure if a refill fails.
     *
     * @param least the reserve is refilled when it has fewer values than these; with 1, when it is empty
     * @param most how many values it has at most
     * @return the options
     */
    public static ReserveOptions of(int least, int most) {
        return new ReserveOptions(least, most, WAITING, Optional.empty(), UnaryOperator.identity());
    }

    /**
     * Returns the same options with another limit of those who wait for a value.
     *
     * @param limit how many may wait at a time; with zero, none waits
     * @return the new options
     */
    public ReserveOptions withWaiting(int limit) {
        return new ReserveOptions(least, most, limit, backoff, actors);
    }

    /**
     * Returns the same options for a reserve that tries again when a refill has failed. Those who wait go on waiting until a
     * later refill succeeds, or their time is over.
     *
     * @param pauses the pauses; the first one takes {@code min}, and each further one is twice as long, up to {@code max}
     * @return the new options
     */
    public ReserveOptions withBackoff(Backoff pauses) {
        return new ReserveOptions(least, most, waiting, Optional.of(Objects.requireNonNull(pauses, "pauses")),
                actors);
    }

    /**
     * Returns the same options with other settings of the actor that refills the reserve: its strategy, its failure policy and
     * its hooks, for example. The mailbox and the stash of the actor are those of the reserve.
     *
     * @param settings adds settings to a builder
     * @return the new options
     */
    public ReserveOptions withActors(UnaryOperator<ActorBuilder> settings) {
        return new ReserveOptions(least, most, waiting, backoff, settings);
    }

    @Override
    public String toString() {
        return "ReserveOptions[least=" + least + ", most=" + most + ", waiting=" + waiting
                + (backoff.isPresent() ? ", backoff=" + backoff.get() : "") + ", actors=" + actors + "]";
    }
}
