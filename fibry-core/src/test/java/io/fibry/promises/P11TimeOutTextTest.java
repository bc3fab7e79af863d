package io.fibry.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.EveryStrategy;
import io.fibry.testing.ManualTime;
import io.fibry.testing.Promise;
import io.fibry.testing.Strategy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

class P11TimeOutTextTest {
    @Promise("11.3")
    @EveryStrategy
    void itSaysWhoWhatAndHowLongQueued(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, event -> {
        }, time)) {
            var actor = scope.named("tom").newActorWithReturn((Integer n) -> n);
            try (var gate = Gate.in(actor)) {
                var ask = actor.sendMessageReturn(1, Duration.ofSeconds(7));
                time.advance(Duration.ofSeconds(7));
                assertThat(Waits.failure(ask)).message().contains("'tom'", "java.lang.Integer",
                        "within PT7S", "queued for PT7S", "not running");
                gate.open();
            }
        }
    }

    @Promise("11.3")
    @EveryStrategy
    void andHowLongItHasBeenRunning(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, event -> {
        }, time)) {
            var running = new CountDownLatch(1);
            var end = new CountDownLatch(1);
            var actor = scope.named("tom").newActorWithReturn((String message) -> {
                running.countDown();
                end.await();
                return message;
            });
            var failure = new CompletableFuture<Throwable>();
            Thread asker;
            try (var gate = Gate.in(actor)) {
                var asked = new CountDownLatch(1);
                asker = Thread.startVirtualThread(() -> {
                    var ask = actor.sendMessageReturn("x", Duration.ofSeconds(7));
                    asked.countDown();
                    ask.whenComplete((value, thrown) -> failure.complete(thrown));
                });
                Waits.on(asked);
                time.advance(Duration.ofSeconds(3));
                gate.open();
                Waits.on(running);
                time.advance(Duration.ofSeconds(4));
                assertThat(Waits.on(failure)).message().contains("'tom'", "java.lang.String",
                        "within PT7S", "queued for PT3S", "running for PT4S");
                end.countDown();
            }
            Waits.on(asker);
        }
    }
}
