package io.fibry.abandon;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.FailurePolicy;
import io.fibry.HandlerAbandonedException;
import io.fibry.Reply;
import io.fibry.Request;
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

    @Promise({"33.2", "33.4", "27.3"})
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void anAbandonedThreadKeepsItsStateAndTheActorStartsAgain(Strategy strategy) throws Exception {
        for (var policy : List.of(FailurePolicy.resume(), FailurePolicy.restart())) {
            stubborn = new Stubborn(time);
            made.set(0);
            seen.clear();
            try (var scope = ActorSystem.configure("test").strategy(strategy.create()).time(time)
                    .listener(event -> {
                    }).open(); var release = stubborn) {
                var actor = scope.anonymous().onFailure(policy).abandonStuck(LIMIT, GRACE).state(Part::new)
                        .onExit(part -> seen.add("exit " + part.number)).of(Integer.class)
                        .onStart((context, part) -> seen.add("start " + part.number))
                        .newActorWithReturn((context, part, n) -> {
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

    private record Question(int n) implements Request<Integer> {
    }

    /** What is stuck: a typed request, one of several asks, and a task of an executor's view; and then the actor ends. */
    @Promise({"27.2", "30.3", "32.1"})
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void requestsAndTasksAreAbandonedAndTheActorGoesOn(Strategy strategy) throws Exception {
        for (var policy : List.of(FailurePolicy.resume(), FailurePolicy.restart())) {
            stubborn = new Stubborn(time);
            try (var scope = ActorSystem.configure("test").strategy(strategy.create()).time(time)
                    .listener(event -> {
                    }).open(); var release = stubborn) {
                var actor = scope.anonymous().onFailure(policy).abandonStuck(LIMIT, GRACE)
                        .state(AtomicInteger::new)
                        .<Question, Reply>newActorWithReturn((context, sum, question) -> {
                            if (question.n() == 0) {
                                release.stay();
                            }
                            return question.reply(sum.addAndGet(question.n()));
                        });
                var end = actor.onStopped();
                var stuck = actor.request(new Question(0));
                stubborn.abandon(LIMIT, GRACE);
                assertThat(Waits.failure(stuck)).isInstanceOf(HandlerAbandonedException.class);
                assertThat(Waits.on(actor.request(new Question(2))).intValue()).isEqualTo(2);

                var code = actor.execFuture(() -> {
                    release.stay();
                    return null;
                });
                stubborn.abandon(LIMIT, GRACE);
                assertThat(Waits.failure(code)).isInstanceOf(HandlerAbandonedException.class);
                assertThat(Waits.on(actor.execFuture(() -> 3)).intValue()).isEqualTo(3);

                var questions = List.of(new Question(4), new Question(0), new Question(5));
                var outcomes = questions.stream().map(actor::request).toList();
                stubborn.abandon(LIMIT, GRACE);
                assertThat(Waits.failure(outcomes.get(1))).isInstanceOf(HandlerAbandonedException.class);
                assertThat(Waits.on(outcomes.get(2))).isEqualTo(5);
                assertThat(outcomes.get(0)).isCompleted();
                stubborn.release();
                actor.close();
                assertThat(Waits.on(end).name()).isEqualTo(actor.name());
            }
        }
    }
}
