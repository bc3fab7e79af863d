import org.jspecify.annotations.NullMarked;

/**
 * A live page that shows what the actors of a program do.
 *
 * <pre>{@code
 * try (var inside = Inside.open(8090)) {
 *     System.out.println("look inside: " + inside.address());
 *     runTheProgram();
 * }
 * }</pre>
 *
 * <p>{@link io.fibry.inside.Inside} opens it.
 * The page {@code docs/inside.md} in the source repository has more.
 */
@NullMarked
module io.fibry.inside {
    requires transitive io.fibry;
    requires org.slf4j;
    // Annotations only: a user needs them neither to compile nor to run.
    requires static org.jspecify;

    exports io.fibry.inside;
}
