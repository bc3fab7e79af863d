import org.jspecify.annotations.NullMarked;

/**
 * JSON by Jackson 3, for requests, answers and events.
 *
 * <p>{@link io.fibry.jackson.JacksonFormat} is found by {@link io.fibry.net.HttpJson#found()}.
 */
@NullMarked
module io.fibry.jackson {
    requires transitive io.fibry;
    requires transitive tools.jackson.databind;
    // Annotations only: a user needs them neither to compile nor to run.
    requires static org.jspecify;

    exports io.fibry.jackson;

    provides io.fibry.net.JsonFormat with io.fibry.jackson.JacksonFormat;
}
