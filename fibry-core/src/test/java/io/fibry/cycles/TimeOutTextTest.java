package io.fibry.cycles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

class TimeOutTextTest {
    @Promise("11.3")
    @EveryStrategy
    void itSaysWhoWhatAndHowLongQueued(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, event -> {
        }, time)) {
            var actor = scope.named("tom").newActorWithReturn((Integer n) -> n);
            try (var gate = Gate.in(actor)) {
                var ask = actor.ask(1, Duration.ofSeconds(7));
                time.advance(Duration.ofSeconds(7));
                assertThat(Waits.failure(ask)).message().contains("'tom'", "java.lang.Integer",
                        "within 7 s", "queued for 7 s behind 1 ", "not running");
                gate.open();
            }
        }
    }

    @Promise("11.3")
    @EveryStrategy
    void andBehindHowMany(Strategy strategy) throws Exception {
        for (var mailbox : List.of(MailboxPolicy.unbounded(),
                MailboxPolicy.bounded(10, OverflowPolicy.reject()))) {
            var time = new ManualTime();
            try (var scope = Scopes.on(strategy, event -> {
            }, time)) {
                var actor = scope.named("tom").mailbox(mailbox).newActorWithReturn((Integer n) -> n);
                try (var gate = Gate.in(actor)) {
                    var asks = new ArrayList<CompletableFuture<Integer>>();
                    for (int n = 0; n < 4; n++) {
                        asks.add(actor.ask(n, Duration.ofMillis(1_500 - n)));
                    }
                    time.advance(Duration.ofMillis(1_497));
                    assertThat(Waits.failure(asks.get(3))).message().contains("queued for 1.4 s behind 4 ");
                    asks.get(0).cancel(false);
                    assertThatThrownBy(() -> actor.sendMessageReturn(4).get(1, TimeUnit.MILLISECONDS))
                            .isInstanceOf(TimeoutException.class)
                            .hasMessageContainingAll("'tom'", "within 1 ms", "queued behind ",
                                    "BUSY at io.fibry.testing.Gate");
                    gate.open();
                }
            }
        }
    }

    @Promise("11.3")
    @EveryStrategy
    void andForWhomItWaits(Strategy strategy) throws Exception {
        var time = new ManualTime(Instant.EPOCH, Patience.LIMIT);
        try (var scope = Scopes.on(strategy, event -> {
        }, time)) {
            var last = scope.named("last").newActorWithReturn((Integer n) -> n);
            var middle = scope.named("middle").newActorWithReturn((Integer n) -> last.apply(n));
            var first = scope.named("first").newActorWithReturn((Integer n) -> middle.apply(n));
            try (var gate = Gate.in(last)) {
                Thread.startVirtualThread(() -> first.sendMessage(1));
                Waits.until("all wait", () -> last.mailboxSize() == 1);
                var ask = first.ask(2, Duration.ofSeconds(7));
                time.advance(Duration.ofSeconds(7));
                assertThat(Waits.failure(ask)).message()
                        .contains("waits for actor 'middle', which waits for actor 'last'");
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
                    var ask = actor.ask("x", Duration.ofSeconds(7));
                    asked.countDown();
                    ask.whenComplete((value, thrown) -> failure.complete(thrown));
                });
                Waits.on(asked);
                time.advance(Duration.ofSeconds(3));
                gate.open();
                Waits.on(running);
                time.advance(Duration.ofSeconds(4));
                assertThat(Waits.on(failure)).message().contains("'tom'", "java.lang.String",
                        "within 7 s", "queued for 3 s", "running for 4 s",
                        " at io.fibry.cycles.TimeOutTextTest.", "(TimeOutTextTest.java:");
                end.countDown();
            }
            Waits.on(asker);
        }
    }
}
