package io.fibry.test;

import static io.fibry.test.ScopeAssertions.assertNothingLost;
import static io.fibry.test.ScopeAssertions.awaitIdle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.event.HighWater;
import io.fibry.event.Undelivered;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;

/** Programs with one mistake each: the kit finds it, and names it. */
class PlantedBugsTest {
    private record Deposit(int amount) {
    }

    private record Account() implements Model<Integer, Deposit, Integer> {
        @Override
        public Integer initial() {
            return 0;
        }

        @Override
        public Step<Integer, Integer> apply(Integer balance, Deposit deposit) {
            return new Step<>(balance + deposit.amount, balance + deposit.amount);
        }
    }

    /** Two actors read and write one object. Here they are made to do so at the same time. */
    @Promise("53.10")
    @Test
    void aLostUpdate() throws Exception {
        var history = new History<Deposit, Integer>();
        try (var scope = ActorSystem.open("bank")) {
            var balance = new int[1];
            var haveRead = new CyclicBarrier(2);
            var done = new CountDownLatch(2);
            for (var clerk = 0; clerk < 2; clerk++) {
                scope.anonymous().newActor((Deposit deposit) -> {
                    history.record(deposit, () -> {
                        var read = balance[0];
                        haveRead.await();
                        balance[0] = read + deposit.amount;
                        return read + deposit.amount;
                    });
                    done.countDown();
                }).sendMessage(new Deposit(10));
            }
            Waits.on(done);
        }
        assertThatThrownBy(() -> history.assertLinearizable(new Account())).isInstanceOf(AssertionError.class)
                .hasMessageContainingAll("the call: Deposit[amount=10] -> 10",
                        "it was made beside these calls:\n    Deposit[amount=10] -> 10");
    }

    /** A worker reports to an actor that has stopped by then. */
    @Promise("53.7")
    @EveryStrategy
    void aMessageAfterTheStop(Strategy strategy) {
        try (var scope = ActorSystem.configure("test").strategy(strategy.create()).open();
                var recorder = Recorder.of(scope)) {
            Probe<String, Void> log = Probe.in(scope, "log");
            var worker = scope.named("worker").newActor((String task) -> {
                log.actor().sendMessage(task + " is done");
            });
            log.actor().stop(Duration.ofSeconds(5));
            worker.sendMessage("task");
            assertThatThrownBy(() -> assertNothingLost(scope)).isInstanceOf(AssertionError.class)
                    .hasMessageContaining("messages lost in scope 'test': 1, by cause: {STOPPED=1}");
            var lost = recorder.expect(Undelivered.class);
            assertThat(lost.actor()).isEqualTo("log");
            assertThat(lost.message()).isEqualTo("task is done");
        }
    }

    /** Each of two actors waits for the other one, through futures of its own, where no cycle can be seen. */
    @Promise("53.7")
    @Test
    void twoAsksThatWaitForEachOther() throws InterruptedException {
        try (var scope = ActorSystem.open("test")) {
            var fork = new CompletableFuture<String>();
            var knife = new CompletableFuture<String>();
            var bothWait = new CountDownLatch(2);
            var left = scope.named("left").newActorWithReturn((String ask) -> {
                bothWait.countDown();
                fork.get();
                return knife.complete("knife");
            });
            var right = scope.named("right").newActorWithReturn((String ask) -> {
                bothWait.countDown();
                knife.get();
                return fork.complete("fork");
            });
            left.sendMessageReturn("eat");
            right.sendMessageReturn("eat");
            Waits.on(bothWait);
            assertThatThrownBy(() -> awaitIdle(scope, Duration.ofMillis(50)))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContainingAll("'left'", "'right'", "PlantedBugsTest");
            fork.complete("a third fork");
            awaitIdle(scope);
            assertNothingLost(scope);
        }
    }

    /** A reminder was to come within an hour, and is set a minute too late. */
    @Promise("53.3")
    @EveryStrategy
    void aTimerThatFiresLate(Strategy strategy) {
        try (var scope =
                ActorSystem.configure("test").strategy(strategy.create()).time(new ManualTime()).open()) {
            Probe<String, Void> inbox = Probe.in(scope, "inbox");
            scope.named("clock").<String>newActor((context, message) -> {
                if (message.equals("begin")) {
                    context.timers().once("reminder", Duration.ofMinutes(61), "remind");
                } else {
                    inbox.actor().sendMessage(message);
                }
            }).sendMessage("begin");
            assertThatThrownBy(() -> inbox.expect("remind", Duration.ofHours(1)))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContainingAll("probe 'inbox' expected remind", "waited for PT1H", "1 timer");
        }
    }

    /** A slow actor has a mailbox without a bound. */
    @Promise("53.8")
    @Test
    void anUnboundedMailbox() {
        try (var scope = ActorSystem.open("test"); var recorder = Recorder.of(scope)) {
            var hold = new HeldHandlers();
            hold.hold();
            var writer = scope.named("writer").newActor(hold.around((Integer number) -> {
            }));
            for (var number = 0; number < 20_000; number++) {
                writer.sendMessage(number);
            }
            assertThat(recorder.expect(HighWater.class).actor()).isEqualTo("writer");
            assertThatThrownBy(() -> awaitIdle(scope, Duration.ofMillis(50)))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("'writer'");
            hold.release();
            assertNothingLost(scope);
        }
    }
}
