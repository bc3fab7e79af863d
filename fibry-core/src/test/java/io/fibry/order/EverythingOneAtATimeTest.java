package io.fibry.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.BugClass;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Probe;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Messages, asks, executed code, ticks of timers, failures and exit hooks: never two at once. */
@BugClass(14)
class EverythingOneAtATimeTest {
    private static final int SENDERS = 3;
    private static final int ROUNDS = 300;

    private final Probe probe = new Probe();

    @EveryStrategy
    void anUnboundedActorDoesOneThingAtATime(Strategy strategy) throws Exception {
        assertOneAtATime(strategy, MailboxPolicy.unbounded());
    }

    @EveryStrategy
    void aBoundedActorDoesOneThingAtATime(Strategy strategy) throws Exception {
        assertOneAtATime(strategy, MailboxPolicy.bounded(4, OverflowPolicy.block()));
    }

    @EveryStrategy
    void anActorThatDropsTheOldestDoesOneThingAtATime(Strategy strategy) throws Exception {
        assertOneAtATime(strategy, MailboxPolicy.bounded(4, OverflowPolicy.dropOldest()));
    }

    private void assertOneAtATime(Strategy strategy, MailboxPolicy mailbox) throws Exception {
        try (var scope = Scopes.configure().strategy(strategy.create()).mailbox(mailbox).open()) {
            var actor = scope.anonymous().onExit(probe::visit)
                    .<Integer, Integer>newActorWithReturn((context, n) -> {
                        if (!context.timers().isSet("tick")) {
                            context.timers().fixedDelay("tick", Duration.ofNanos(100_000), -1);
                        }
                        probe.visit();
                        if (n % 5 == 0) {
                            throw new IllegalArgumentException("a fifth fails");
                        }
                        return n;
                    });
            for (var sender : senders(actor)) {
                Waits.on(sender);
            }
        }
        assertThat(probe.visits()).isPositive();
        probe.assertNeverTwoInside();
    }

    private List<Thread> senders(Actor<Integer, Integer> actor) {
        var senders = new ArrayList<Thread>();
        for (int i = 0; i < SENDERS; i++) {
            senders.add(Thread.ofVirtual().start(() -> {
                for (int n = 0; n < ROUNDS; n++) {
                    actor.sendMessage(n);
                    actor.sendMessageReturn(n);
                    actor.execAsync(probe::visit);
                    actor.ask(n, Duration.ofNanos(1 + n * 1_000L));
                    Thread.yield();
                }
            }));
        }
        return senders;
    }
}
