package io.fibry.abandon;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.FailurePolicy;
import io.fibry.HandlerAbandonedException;
import io.fibry.testing.Promise;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Actors with a state and hooks for their start that go on without a handler, or code, that does not end. */
class StateAbandonTest {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final ManualTime time = new ManualTime();
    private Stubborn stubborn = new Stubborn(time);
    private final AtomicInteger made = new AtomicInteger();
    private final List<String> seen = new CopyOnWriteArrayList<>();

    private final class Part implements AutoCloseable {
        final int number = made.incrementAndGet();

        @Override
        public void close() {
            seen.add("closed " + number);
            stubborn.ends();
        }
    }

    @Promise({"33.2", "33.4", "33.7", "27.4"})
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void anAbandonedThreadKeepsItsStateAndTheActorStartsAgain(Strategy strategy) throws Exception {
        for (var policy : List.of(FailurePolicy.resume(), FailurePolicy.restart())) {
            stubborn = new Stubborn(time);
            made.set(0);
            seen.clear();
            try (var scope = ActorScope.configure("test").strategy(strategy.create()).time(time)
                    .listener(event -> {
                    }).open(); var release = stubborn) {
                var actor = scope.anonymous().onFailure(policy).abandonStuck(LIMIT, GRACE).state(Part::new)
                        .<Integer>onStart((context, part) -> seen.add("start " + part.number))
                        .onExit(part -> seen.add("exit " + part.number))
                        .<Integer, Integer>newActorWithReturn((context, part, n) -> {
                            if (n == 0) {
                                stubborn.stay();
                            }
                            return part.number;
                        });
                assertThat(Waits.on(actor.sendMessageReturn(1))).isEqualTo(1);
                assertThat(release).isSameAs(stubborn);

                var code = actor.execFutureWithState(part -> {
                    stubborn.stay();
                    return part.number;
                });
                stubborn.abandon(LIMIT, GRACE);
                assertThat(Waits.failure(code)).isInstanceOf(HandlerAbandonedException.class);
                assertThat(Waits.on(actor.sendMessageReturn(1))).isEqualTo(2);
                stubborn.letGo();
                stubborn.awaitEnd();

                var message = actor.sendMessageReturn(0);
                stubborn.abandon(LIMIT, GRACE);
                assertThat(Waits.failure(message)).isInstanceOf(HandlerAbandonedException.class);
                assertThat(Waits.on(actor.execFutureWithState(part -> part.number)).intValue()).isEqualTo(3);
                stubborn.letGo();
                stubborn.awaitEnd();
                actor.close();
            }
            assertThat(seen).containsExactlyInAnyOrder("start 1", "start 2", "closed 1", "start 3",
                    "closed 2",
                    "exit 3", "closed 3");
            stubborn.awaitEnd();
        }
    }
}
