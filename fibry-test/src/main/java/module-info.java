import org.jspecify.annotations.NullMarked;

/**
 * A test kit for programs that use Fibry.
 *
 * <pre>{@code
 * try (var scope = ActorSystem.open("test")) {
 *     Probe<String, Integer> prices = Probe.in(scope, "prices");
 *     prices.willAnswer(3);                               // the first message gets this answer
 *     var shop = scope.named("shop").newActorWithReturn((String item) -> 2 * prices.actor().apply(item));
 *
 *     var two = shop.sendMessageReturn("tea");
 *     prices.expect("tea");                               // waits for it, up to five seconds
 *     assertEquals(6, two.get());
 * }
 * }</pre>
 *
 * <p>{@link io.fibry.test.TestSchedule} runs a program under schedules that are chosen by numbers and can be
 * replayed, with virtual time; {@link io.fibry.test.ActorTest} does so in JUnit. The page {@code docs/testing.md} in
 * the source repository has more.
 */
@NullMarked
module io.fibry.test {
    requires transitive io.fibry;
    // For those whose tests run on JUnit: all else works without it.
    requires static org.junit.jupiter.api;
    requires static org.junit.platform.launcher;
    // Annotations only: a user needs them neither to compile nor to run.
    requires static org.jspecify;

    exports io.fibry.test;
}
