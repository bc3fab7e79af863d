import org.jspecify.annotations.NullMarked;

/**
 * A test kit for programs of actors.
 *
 * <p>{@link io.fibry.test} tells what there is. All of it works without a test framework, except what is for JUnit.
 */
@NullMarked
module io.fibry.test {
    requires transitive io.fibry;
    // For those whose tests run on JUnit: all else works without it.
    requires static org.junit.jupiter.api;
    // Annotations only: a user needs them neither to compile nor to run.
    requires static org.jspecify;

    exports io.fibry.test;
}
