import io.fibry.measure.MeasureListener;
import io.fibry.micrometer.FibryMeters;
import org.jspecify.annotations.NullMarked;

/**
 * Meters of actors for Micrometer.
 *
 * <pre>{@code
 * ActorSystem.configure(root -> root.measures(FibryMeters.of(registry)));
 * }</pre>
 *
 * <p>{@link io.fibry.micrometer.FibryMeters} makes them.
 * The page {@code docs/meters.md} in the source repository has more.
 */
@NullMarked
module io.fibry.micrometer {
    requires transitive io.fibry;
    requires transitive micrometer.core;
    // For those who have durable actors.
    requires static io.fibry.durable;
    // Annotations only: a user needs them neither to compile nor to run.
    requires static org.jspecify;

    exports io.fibry.micrometer;

    provides MeasureListener with FibryMeters;
}
