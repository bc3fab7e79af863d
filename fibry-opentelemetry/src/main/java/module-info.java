import org.jspecify.annotations.NullMarked;

/**
 * Contexts and spans of OpenTelemetry that go with messages.
 *
 * <p>{@link io.fibry.opentelemetry.FibryTracing} is given to scopes.
 */
@NullMarked
module io.fibry.opentelemetry {
    requires transitive io.fibry;
    requires transitive io.opentelemetry.api;
    requires transitive io.opentelemetry.context;
    // Annotations only: a user needs them neither to compile nor to run.
    requires static org.jspecify;

    exports io.fibry.opentelemetry;
}
