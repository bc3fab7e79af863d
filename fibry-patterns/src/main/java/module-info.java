import org.jspecify.annotations.NullMarked;

/**
 * Patterns: what programs often make of actors, such as pools, topics, pipelines, state machines and retries.
 *
 * <p>They use only what every program can use, and nothing of the engine. {@code docs/patterns.md} in the source
 * repository shows each of them.
 */
@NullMarked
module io.fibry.patterns {
    requires transitive io.fibry;
    // Annotations only: a user needs them neither to compile nor to run.
    requires static org.jspecify;

    exports io.fibry.files;
    exports io.fibry.flow;
    exports io.fibry.fsm;
    exports io.fibry.pool;
    exports io.fibry.topic;
    exports io.fibry.work;
}
