package io.fibry.internal.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.event.Expired;
import io.fibry.event.Undelivered;
import io.fibry.event.Undelivered.Cause;
import io.fibry.function.ContextReplyHandler;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class SharedKeysTest {
    private final Recorder events = new Recorder();
    private final List<String> steps = new CopyOnWriteArrayList<>();
    private final CountDownLatch mayGoOn = new CountDownLatch(1);
    private final CountDownLatch hasBegun = new CountDownLatch(1);

    /** Handles letters: the first of a key waits. */
    private final class Writer implements ContextReplyHandler<String, String>, AutoCloseable {
        private final String key;

        Writer(String key) {
            this.key = key;
        }

        @Override
        public String handle(ActorContext<String, String> self, String message) throws Exception {
            if (message.endsWith("1")) {
                hasBegun.countDown();
                mayGoOn.await();
            }
            steps.add(message);
            return key;
        }

        @Override
        public void close() {
            steps.add("end of " + key);
        }
    }

    private KeyedActors<String, String, String> writers(ActorScope scope) {
        return scope.anonymous().<String, String>keyed(message -> message.substring(0, 1))
                .idle(Duration.ofMinutes(1))
                .newActorsWithReturnFrom(Writer::new);
    }

    @EveryStrategy
    void theActorsOfSomeKeysEndAndTheNextOnesFollow(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var writers = writers(scope);
            var keys = SharedKeys.of(writers).orElseThrow();
            assertThat(Waits.on(writers.sendMessageReturn("b0"))).isEqualTo("b");
            assertThat(Waits.on(writers.sendMessageReturn("a0"))).isEqualTo("a");
            Waits.on(keys.end("a"::equals, true));
            assertThat(steps).containsExactly("b0", "a0", "end of a");
            assertThat(writers.live()).isEqualTo(1);
            assertThat(Waits.on(writers.sendMessageReturn("a2"))).isEqualTo("a");
            Waits.on(keys.end(key -> true, false));
            assertThat(writers.live()).isZero();
            assertThat(steps).contains("a2", "end of b").hasSize(6);
            assertThat(events.of(Undelivered.class)).isEmpty();
        }
    }

    @Test
    void thoseThatEndGentlyHandleWhatTheyHave() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS, events)) {
            var writers = writers(scope);
            writers.sendMessage("a1");
            hasBegun.await();
            writers.sendMessage("a2");
            var end = SharedKeys.of(writers).orElseThrow().end(key -> true, true);
            assertThat(end).isNotDone();
            mayGoOn.countDown();
            Waits.on(end);
            assertThat(steps).containsExactly("a1", "a2", "end of a");
            assertThat(events.of(Undelivered.class)).isEmpty();
        }
    }

    @Test
    void thoseThatEndAtOnceBeginWithNothing() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS, events)) {
            var writers = writers(scope);
            var keys = SharedKeys.of(writers).orElseThrow();
            writers.sendMessage("a1");
            hasBegun.await();
            writers.sendMessage("a2");
            var gentle = keys.end(key -> true, true);
            var end = keys.end(key -> true, false);
            mayGoOn.countDown();
            Waits.on(end);
            Waits.on(gentle);
            assertThat(steps).containsExactly("a1", "end of a");
            assertThat(events.of(Undelivered.class))
                    .extracting(Undelivered::message).containsExactly("a2");
        }
    }

    @Test
    void whatMustStayOnThisNodeIsKnown() {
        try (var scope = Scopes.on(Strategy.FIBERS, events)) {
            assertThat(SharedKeys.of(writers(scope)).orElseThrow().isMovable()).isTrue();
            KeyedActors<String, String, String> still =
                    scope.anonymous().<String, String>keyed(message -> message)
                            .immovable().atMost(9).newActorsWithReturnFrom(Writer::new);
            assertThat(SharedKeys.of(still).orElseThrow().isMovable()).isFalse();
        }
    }

    @Test
    void whatHasExpiredIsCountedAndReported() {
        try (var scope = Scopes.on(Strategy.FIBERS, events)) {
            var writers = writers(scope);
            SharedKeys.of(writers).orElseThrow().expire("a1", Duration.ofMillis(5));
            assertThat(writers.counters().expired()).isEqualTo(1);
            assertThat(events.of(Expired.class))
                    .containsExactly(new Expired(writers.name(), "a1", Duration.ofMillis(5)));
        }
    }

    @Test
    void whatIsRefusedIsCountedAndReported() {
        try (var scope = Scopes.on(Strategy.FIBERS, events)) {
            var writers = writers(scope);
            SharedKeys.of(writers).orElseThrow().refuse("a1", Cause.NOT_SERVED);
            assertThat(writers.counters().refused()).isEqualTo(1);
            assertThat(events.of(Undelivered.class))
                    .containsExactly(new Undelivered(writers.name(), "a1", Cause.NOT_SERVED));
        }
    }
}
