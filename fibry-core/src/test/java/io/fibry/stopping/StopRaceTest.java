package io.fibry.stopping;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.FailurePolicy;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Undelivered;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Sending races with stopping, in every form of each: the books must balance. */
class StopRaceTest {
    private static final int SENDERS = 4;
    private static final int EACH = 120;

    private record Message(int number) {
    }

    private static final List<Consumer<Actor<Message, Void>>> STOPS = List.of(Actor::askExit,
            Actor::sendPoisonPill, actor -> actor.stop(Duration.ZERO), Actor::close,
            StopRaceTest::letItFail);

    private static final List<MailboxPolicy> MAILBOXES = List.of(MailboxPolicy.unbounded(),
            MailboxPolicy.bounded(3, OverflowPolicy.block()),
            MailboxPolicy.bounded(3, OverflowPolicy.block(Duration.ofMillis(1))),
            MailboxPolicy.bounded(3, OverflowPolicy.dropNewest()),
            MailboxPolicy.bounded(3, OverflowPolicy.dropOldest()),
            MailboxPolicy.bounded(3, OverflowPolicy.reject()),
            MailboxPolicy.bounded(3, OverflowPolicy.fail()));

    private final AtomicInteger offered = new AtomicInteger();
    private final ConcurrentLinkedQueue<CompletableFuture<?>> answers = new ConcurrentLinkedQueue<>();
    private int ran;

    private static void letItFail(Actor<Message, Void> actor) {
        try {
            actor.sendMessage(new Message(-1));
        } catch (MailboxFullException e) {
            actor.askExit();
        }
    }

    private void handle(Message message) {
        ran++;
        if (message.number < 0) {
            throw new IllegalStateException("stop");
        }
    }

    private void offer(Actor<Message, Void> actor, int i) {
        offered.incrementAndGet();
        try {
            switch (i % 6) {
                case 0 -> answers.add(actor.sendMessageReturn(new Message(i)));
                case 1 -> {
                    var answer = actor.sendMessageReturn(new Message(i));
                    answers.add(answer);
                    answer.cancel(true);
                }
                case 2 -> actor.execAsync(() -> ran++);
                case 3 -> actor.execute(() -> ran++);
                case 4 -> answers.add(actor.ask(new Message(i), Duration.ofMinutes(1)));
                default -> actor.sendMessage(new Message(i));
            }
        } catch (MailboxFullException | RejectedExecutionException e) {
            assertThat(e).hasMessageContaining(actor.name());
        }
    }

    private void race(Strategy strategy, MailboxPolicy mailbox, Consumer<Actor<Message, Void>> stop,
            int stopAt) throws Exception {
        offered.set(0);
        answers.clear();
        ran = 0;
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            Actor<Message, Void> actor = scope.anonymous().mailbox(mailbox).onFailure(FailurePolicy.stop())
                    .newActor(this::handle);
            Senders.run(SENDERS, sender -> {
                for (int i = 0; i < EACH; i++) {
                    offer(actor, i);
                    if (sender == 0 && i == stopAt) {
                        stop.accept(actor);
                    }
                }
            });
            actor.stop(Duration.ofSeconds(30));
            var extra = actor.counters().total() - offered.get();
            assertThat(extra).as("the stop may be a message").isBetween(0L, 1L);
            assertThat(actor.counters().handled() + actor.counters().failed()).isEqualTo(ran);
            assertThat(scope.counters()).isEqualTo(actor.counters());
            assertThat(answers).allMatch(CompletableFuture::isDone);

            var lost = recorder.of(Undelivered.class).stream().map(Undelivered::message).toList();
            var different = Collections.newSetFromMap(new IdentityHashMap<>());
            different.addAll(lost);
            assertThat(different).as("told once each").hasSameSizeAs(lost);
            var counters = actor.counters();
            assertThat(lost).hasSize(
                    (int) (counters.dropped() + counters.refused() + counters.undelivered()));
        }
    }

    @Promise({"4.1", "4.3"})
    @EveryStrategy
    void theCountersAddUpHoweverSendingRacesWithStopping(Strategy strategy) throws Exception {
        for (var mailbox : MAILBOXES) {
            for (int way = 0; way < STOPS.size(); way++) {
                race(strategy, mailbox, STOPS.get(way), 7 * way + 1);
                race(strategy, mailbox, STOPS.get(way), EACH - 2);
            }
        }
    }

    @Promise({"4.1", "9.7"})
    @EveryStrategy
    void theScopesCountersAddUpWhenItIsClosedMeanwhile(Strategy strategy) throws Exception {
        for (int round = 0; round < 20; round++) {
            offered.set(0);
            var scope = Scopes.on(strategy);
            var actors = List.of(scope.anonymous().<Message>newActor(message -> {
            }), scope.named("b").<Message>newActor(message -> {
            }), scope.anonymous().onExit(() -> {
            }).<Message>newActor(message -> {
            }));
            var closeAt = round * 5;
            Senders.run(SENDERS, sender -> {
                for (int i = 0; i < EACH; i++) {
                    actors.get(i % 3).sendMessage(new Message(i));
                    offered.incrementAndGet();
                    if (sender == 0 && i == closeAt) {
                        scope.close();
                    }
                }
            });
            assertThat(scope.counters().total()).isEqualTo(offered.get());
            assertThat(actors.stream().mapToLong(a -> a.counters().total()).sum()).isEqualTo(offered.get());
        }
    }
}
