package io.fibry.stopping;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Undelivered;
import io.fibry.testing.BugClass;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/** Each message that is sent while the actor stops is handled or told of, once. */
@BugClass({8, 23})
class SendOrStopTest {
    private static final int ROUNDS = 150;
    private static final int SENDERS = 3;
    private static final int MESSAGES = 40;

    private static final List<Consumer<Actor<?, ?>>> STOPS = List.of(Actor::askExit, Actor::sendPoisonPill,
            Actor::close, actor -> actor.stop(Duration.ZERO), actor -> actor.stop(Duration.ofSeconds(20)));

    private final LongAdder accepted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder handled = new LongAdder();
    private final LongAdder toldUndelivered = new LongAdder();
    private final LongAdder toldRefused = new LongAdder();

    @EveryStrategy
    void nothingIsLostByAnUnboundedActor(Strategy strategy) throws Exception {
        assertNothingIsLost(strategy, MailboxPolicy.unbounded());
    }

    @EveryStrategy
    void nothingIsLostByABoundedActor(Strategy strategy) throws Exception {
        assertNothingIsLost(strategy, MailboxPolicy.bounded(2, OverflowPolicy.block()));
    }

    private void assertNothingIsLost(Strategy strategy, MailboxPolicy mailbox) throws Exception {
        var scope = Scopes.configure().mailbox(mailbox).strategy(strategy.create()).listener(event -> {
            if (event instanceof Undelivered lost) {
                (lost.cause() == Undelivered.Cause.STOPPED_BEFORE_TURN ? toldUndelivered : toldRefused)
                        .increment();
            }
        }).open();
        try (scope) {
            for (int round = 0; round < ROUNDS; round++) {
                var actor = scope.anonymous().newActor((Integer n) -> handled.increment());
                sendWhile(actor, STOPS.get(round % STOPS.size()));
                Waits.stopped(actor);
            }
        }
        assertThat(handled.sum() + toldUndelivered.sum()).as("of what was accepted")
                .isEqualTo(accepted.sum());
        assertThat(toldRefused.sum()).isEqualTo(refused.sum());
        assertThat(scope.counters().total()).isEqualTo((long) ROUNDS * SENDERS * MESSAGES);
        assertThat(scope.counters().handled()).isEqualTo(handled.sum());
        assertThat(scope.counters().undelivered()).isEqualTo(toldUndelivered.sum());
        assertThat(scope.counters().refused()).isEqualTo(refused.sum());
    }

    private void sendWhile(Actor<Integer, Void> actor, Consumer<Actor<?, ?>> stop)
            throws InterruptedException {
        var start = new CountDownLatch(1);
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < SENDERS; i++) {
            threads.add(Thread.ofVirtual().start(() -> {
                for (int n = 0; n < MESSAGES; n++) {
                    (actor.sendMessage(n) ? accepted : refused).increment();
                    if (n == MESSAGES / 2) {
                        start.countDown();
                    }
                }
            }));
        }
        Waits.on(start);
        stop.accept(actor);
        for (var thread : threads) {
            Waits.on(thread);
        }
    }

    @EveryStrategy
    void aListenerThatSendsToTheStoppedActorAgainMakesNoRecursion(Strategy strategy) throws Exception {
        var told = new LongAdder();
        var actor = new AtomicReference<Actor<Integer, Void>>();
        var scope = Scopes.configure().strategy(strategy.create()).listener(event -> {
            if (event instanceof Undelivered) {
                told.increment();
                actor.get().sendMessage(0);
            }
        }).open();
        try (scope) {
            actor.set(scope.anonymous().newActor((Integer n) -> {
            }));
            actor.get().close();
            assertThat(actor.get().sendMessage(1)).isFalse();
        }
        assertThat(told.sum()).isEqualTo(1);
        assertThat(scope.counters().refused()).isEqualTo(2);
    }
}
