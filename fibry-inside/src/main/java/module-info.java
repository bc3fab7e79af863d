import org.jspecify.annotations.NullMarked;

/**
 * A live page that shows what the actors of a program do.
 *
 * <p>{@link io.fibry.inside.Inside} opens it.
 */
@NullMarked
module io.fibry.inside {
    requires transitive io.fibry;
    // The server of the JDK, on which the embedded server of io.fibry runs.
    requires jdk.httpserver;
    // Annotations only: a user needs them neither to compile nor to run.
    requires static org.jspecify;

    exports io.fibry.inside;
}
