import org.jspecify.annotations.NullMarked;

/**
 * Contexts and spans of OpenTelemetry that go with messages.
 *
 * <pre>{@code
 * ActorSystem.configure(FibryTracing.context()::on);
 * }</pre>
 *
 * <p>{@link io.fibry.opentelemetry.FibryTracing} is given to scopes.
 * The page {@code docs/tracing.md} in the source repository has more.
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
