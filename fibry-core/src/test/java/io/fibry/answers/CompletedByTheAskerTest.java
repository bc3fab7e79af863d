package io.fibry.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** An asker may complete its answer in any way that a CompletableFuture knows. */
class CompletedByTheAskerTest {
    private static final Map<String, Consumer<CompletableFuture<String>>> WAYS = new LinkedHashMap<>();

    static {
        WAYS.put("complete", answer -> answer.complete("mine"));
        WAYS.put("completeExceptionally", answer -> answer.completeExceptionally(failure()));
        WAYS.put("completeAsync", answer -> answer.completeAsync(() -> "mine"));
        WAYS.put("completeAsync with an executor",
                answer -> answer.completeAsync(() -> "mine", Runnable::run));
        WAYS.put("completeAsync that fails", answer -> answer.completeAsync(() -> {
            throw failure();
        }));
        WAYS.put("completeOnTimeout", answer -> answer.completeOnTimeout("mine", 1, TimeUnit.MILLISECONDS));
        WAYS.put("obtrudeValue", answer -> answer.obtrudeValue("mine"));
        WAYS.put("obtrudeException", answer -> answer.obtrudeException(failure()));
    }

    private static IllegalArgumentException failure() {
        return new IllegalArgumentException("mine");
    }

    private static String outcome(CompletableFuture<String> answer) {
        try {
            return answer.get();
        } catch (ExecutionException failed) {
            return failed.getCause().getMessage();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Promise("5.4")
    @EveryStrategy
    void whoWaitsGoesOnAndTheMessageIsTakenBack(Strategy strategy) throws Exception {
        try (var scope = Scopes.configure().strategy(strategy.create()).open()) {
            var actor = scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.reject()))
                    .newActorWithReturn((String message) -> message);
            for (var way : WAYS.entrySet()) {
                for (var limit : new Duration[]{null, Duration.ofHours(1)}) {
                    try (var gate = Gate.in(actor)) {
                        assertThat(gate).isNotNull();
                        var answer = limit == null ? actor.sendMessageReturn("a")
                                : actor.ask("a", limit);
                        var seen = new CompletableFuture<String>();
                        var waiting = Thread.startVirtualThread(() -> seen.complete(outcome(answer)));
                        Waits.until("it waits", () -> waiting.getState() == Thread.State.WAITING);
                        way.getValue().accept(answer);
                        assertThat(Waits.on(seen)).as(way.getKey()).isEqualTo("mine");
                        Waits.on(waiting);
                        assertThat(outcome(answer)).as(way.getKey()).isEqualTo("mine");
                        Waits.until("the place is free: " + way.getKey(), () -> actor.sendMessage("b"));
                    }
                    Waits.until("it was handled", () -> actor.mailboxSize() == 0);
                }
            }
            assertThat(actor.counters().expired()).isEqualTo(2L * WAYS.size());
        }
    }

    @Promise("5.4")
    @EveryStrategy
    void theyDoWhatThoseOfAPlainFutureDo(Strategy strategy) throws Exception {
        try (var scope = Scopes.configure().strategy(strategy.create()).open()) {
            var actor = scope.anonymous().newActorWithReturn((String message) -> message);
            for (var limit : new Duration[]{null, Duration.ofHours(1)}) {
                var done = limit == null ? actor.sendMessageReturn("a") : actor.ask("a", limit);
                assertThat(Waits.on(done)).isEqualTo("a");
                assertThat(done.completeAsync(() -> "b", Runnable::run)).isSameAs(done);
                assertThat(done.join()).as("it was complete").isEqualTo("a");
                done.obtrudeValue("c");
                assertThat(done.join()).isEqualTo("c");
                done.obtrudeException(failure());
                assertThat(Waits.failure(done)).hasMessage("mine");
            }
            try (var gate = Gate.in(actor)) {
                assertThat(gate).isNotNull();
                var answer = actor.sendMessageReturn("a");
                var plain = new CompletableFuture<String>();
                for (var future : List.of(answer, plain)) {
                    future.completeAsync(() -> {
                        throw failure();
                    }, Runnable::run);
                }
                assertThat(answer.handle((value, failed) -> failed.toString()).join())
                        .isEqualTo(plain.handle((value, failed) -> failed.toString()).join());
            }
        }
    }
}
