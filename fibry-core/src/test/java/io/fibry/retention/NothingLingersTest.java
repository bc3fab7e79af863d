package io.fibry.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fibry.Actor;
import io.fibry.ActorName;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Garbage;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

class NothingLingersTest {
    @Promise("13.2")
    @EveryStrategy
    void afterAScopeIsClosedNothingOfItIsLeft(Strategy strategy) throws Exception {
        var time = new ManualTime();
        var threads = new CopyOnWriteArrayList<Thread>();
        var answers = new ArrayList<CompletableFuture<?>>();
        var scope = Scopes.on(strategy, event -> {
        }, time);
        for (int i = 0; i < 20; i++) {
            var actor = scope.named("a" + i).<Integer, Integer>newActorWithReturn((context, n) -> {
                threads.add(Thread.currentThread());
                context.timers().fixedDelay("key", Duration.ofSeconds(1), n);
                return n;
            });
            answers.add(actor.sendMessageReturn(i));
            answers.add(actor.ask(i, Duration.ofHours(1)));
            answers.add(scope.child("inner").open().anonymous().newActorWithReturn((Integer n) -> n)
                    .ask(i, Duration.ofHours(1)));
        }
        scope.close();
        assertThat(answers).allMatch(CompletableFuture::isDone);
        await().until(() -> time.pending() == 0); // an answer is given before its timer is cancelled
        for (int i = 0; i < 20; i++) {
            assertThat(scope.find(ActorName.of("a" + i))).isEmpty();
        }
        if (strategy == Strategy.THREADS || strategy == Strategy.FIBERS) {
            for (var thread : threads) {
                Waits.on(thread);
            }
        }
    }

    @Promise("20.2")
    @EveryStrategy
    void noMessageOfACancelledOrReplacedTimerIsHandled(Strategy strategy) throws Exception {
        var time = new ManualTime();
        var got = new CopyOnWriteArrayList<String>();
        try (var scope = Scopes.on(strategy, event -> {
        }, time)) {
            var actor = scope.anonymous().<String>newActor((context, message) -> {
                got.add(message);
                switch (message) {
                    case "set" -> {
                        context.timers().once("cancelled", Duration.ofSeconds(1), "cancelled tick");
                        context.timers().fixedDelay("replaced", Duration.ofSeconds(1), "old tick");
                    }
                    case "change" -> {
                        assertThat(context.timers().cancel("cancelled")).isTrue();
                        context.timers().once("replaced", Duration.ofSeconds(1), "new tick");
                    }
                    default -> {
                    }
                }
            });
            actor.sendMessage("set");
            await().until(() -> time.pending() == 2);
            try (var gate = Gate.in(actor)) {
                actor.sendMessage("change");
                time.advance(Duration.ofSeconds(1)); // both ticks are in the mailbox now, behind the change
                gate.open();
            }
            await().until(() -> time.pending() == 1);
            time.advance(Duration.ofSeconds(1));
            actor.close();
            assertThat(got).isEqualTo(List.of("set", "change", "new tick"));
        }
    }

    @Promise("20.2")
    @EveryStrategy
    void noTimerOutlivesItsActor(Strategy strategy) {
        var time = new ManualTime();
        var got = new CopyOnWriteArrayList<String>();
        try (var scope = Scopes.on(strategy, event -> {
        }, time)) {
            var actor = scope.anonymous().<String>newActor((context, message) -> {
                got.add(message);
                context.timers().fixedDelay("key", Duration.ofSeconds(1), "tick");
                context.timers().once("other", Duration.ofSeconds(1), "tick");
            });
            actor.sendMessage("set");
            actor.close();
            assertThat(time.pending()).isZero();
            time.advance(Duration.ofSeconds(10));
            assertThat(got).containsExactly("set");
        }
    }

    /** The last message is the one that a mailbox might still refer to, so each kind comes last once. */
    private static List<WeakReference<?>> exchange(Actor<Object, Object> actor, int last) throws Exception {
        var plain = new Object();
        var asked = new Object();
        Runnable task = asked::hashCode;
        var answer = new CompletableFuture<Object>();
        for (int i = 1; i <= 3; i++) {
            switch ((i + last) % 3) {
                case 0 -> actor.sendMessage(plain);
                case 1 -> actor.execute(task);
                default -> answer = actor.sendMessageReturn(asked);
            }
        }
        var value = Waits.on(answer);
        return List.of(new WeakReference<>(plain), new WeakReference<>(task), new WeakReference<>(asked),
                new WeakReference<>(answer), new WeakReference<>(value));
    }

    @Promise("13.4")
    @EveryStrategy
    void handledMessagesAndAnswersAreNotKept(Strategy strategy) throws Exception {
        for (var mailbox : List.of(MailboxPolicy.unbounded(),
                MailboxPolicy.bounded(4, OverflowPolicy.block()))) {
            for (int last = 0; last < 3; last++) {
                try (var scope = Scopes.on(strategy)) {
                    var actor = scope.anonymous().interruptOnCancel().mailbox(mailbox)
                            .newActorWithReturn((Object message) -> new Object());
                    for (var reference : exchange(actor, last)) {
                        Garbage.is(reference);
                    }
                    assertThat(actor.counters().handled()).isEqualTo(3);
                }
            }
        }
    }
}
