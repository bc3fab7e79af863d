import org.jspecify.annotations.NullMarked;

/**
 * A test kit for programs that use Fibry.
 *
 * <p>{@link io.fibry.test.TestSchedule} runs a program under schedules that are chosen by numbers and can be replayed, with virtual
 * time; {@link io.fibry.test.ActorTest} does so in JUnit.
 */
@NullMarked
module io.fibry.test {
    requires transitive io.fibry;
    // For those whose tests run on JUnit: all else works without it.
    requires static org.junit.jupiter.api;
    requires static org.junit.platform.launcher;
    // Annotations only: a user needs them neither to compile nor to run.
    requires static org.jspecify;
    // For those who test the handlers of HTTP routes.
    requires static jdk.httpserver;

    exports io.fibry.test;
}
