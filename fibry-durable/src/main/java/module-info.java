import org.jspecify.annotations.NullMarked;

/**
 * Actors whose state survives the end of their process.
 *
 * <p>{@link io.fibry.durable.Durable} makes them, and {@link io.fibry.durable.DurableStore} keeps their state.
 */
@NullMarked
module io.fibry.durable {
    requires transitive io.fibry;
    requires transitive io.fibry.codec;
    requires java.sql;
    requires org.slf4j;
    // Annotations only: a user needs them neither to compile nor to run.
    requires static org.jspecify;

    exports io.fibry.durable;
}
