package io.fibry.supervision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Escalated;
import io.fibry.event.Failed;
import io.fibry.event.Restarted;
import io.fibry.event.Stopped;
import io.fibry.function.Handler;
import io.fibry.testing.BugClass;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** What has gone wrong in the supervision of real actor systems. */
class SupervisionBugsTest {
    private static final FailurePolicy FOR_EVER =
            FailurePolicy.restart(Integer.MAX_VALUE, Duration.ofSeconds(1));
    private static final FailurePolicy WITH_PAUSES = FailurePolicy.restart().withBackoff(Duration.ofHours(1),
            Duration.ofHours(1), 0);

    private final Recorder recorder = new Recorder();
    private final ManualTime time = new ManualTime();

    private ActorScope scope(Strategy strategy, FailurePolicy policy) {
        return Scopes.configure().strategy(strategy.create()).listener(recorder).time(time).onFailure(policy)
                .open();
    }

    @BugClass(9)
    @EveryStrategy
    void aCrashLosesAndReordersNothingThatWaits(Strategy strategy) throws Exception {
        for (var mailbox : List.of(MailboxPolicy.unbounded(),
                MailboxPolicy.bounded(2_000, OverflowPolicy.reject()))) {
            try (var scope = scope(strategy, FOR_EVER)) {
                var handled = new CopyOnWriteArrayList<Integer>();
                var actor = scope.anonymous().mailbox(mailbox).newActorFrom(() -> (Integer n) -> {
                    if (n % 7 == 0) {
                        throw new IllegalStateException("seven");
                    }
                    handled.add(n);
                });
                IntStream.range(0, 1_000).forEach(actor::sendMessage);
                actor.execAndWait(() -> {
                });
                assertThat(handled)
                        .isEqualTo(IntStream.range(0, 1_000).filter(n -> n % 7 != 0).boxed().toList());
                assertThat(actor.counters().failed()).isEqualTo(143);
            }
        }
    }

    @BugClass(15)
    @EveryStrategy
    void noTimerOutlivesAStartThatFailsARestartOrAStop(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, FailurePolicy.restart(3, Duration.ofSeconds(1)))) {
            var starts = new AtomicInteger();
            Actor<Integer, Void> actor = scope.anonymous().newActorFrom(context -> {
                context.timers().fixedDelay("tick", Duration.ofSeconds(1), 1);
                if (starts.incrementAndGet() % 2 == 1) {
                    throw new IllegalStateException("every other start");
                }
                return n -> {
                    throw new IllegalStateException("always");
                };
            });
            actor.execAndWait(() -> {
            });
            assertThat(time.pending()).isEqualTo(1);
            for (int n = 0; n < 3; n++) {
                actor.sendMessage(n);
            }
            Waits.stopped(actor);
            assertThat(time.pending()).isZero();
        }
    }

    private static int overflow(int n) {
        return n == Integer.MAX_VALUE ? n : overflow(n + 1) + overflow(n + 2);
    }

    @BugClass(19)
    @EveryStrategy
    void errorsRestartAndStopAsExceptionsDo(Strategy strategy) throws Exception {
        List<Runnable> throwers = List.of(() -> overflow(0), () -> {
            throw new OutOfMemoryError("not a real one");
        }, () -> {
            throw new NoClassDefFoundError("gone");
        });
        try (var scope = scope(strategy, FailurePolicy.restart(throwers.size(), Duration.ofSeconds(1)))) {
            var heard = new CountDownLatch(1);
            var actor = scope.anonymous().newActorFrom(() -> (Handler<Runnable>) Runnable::run);
            var watcher = scope.anonymous().<String>newActor((context, message) -> {
                if (message.equals("watch")) {
                    context.watch(actor, end -> "gone");
                } else {
                    heard.countDown();
                }
            });
            watcher.sendMessage("watch");
            throwers.forEach(actor::sendMessage);
            actor.execAndWait(() -> {
            });
            assertThat(recorder.of(Restarted.class)).hasSize(throwers.size());
            actor.sendMessage(throwers.getFirst());
            Waits.stopped(actor);
            Waits.on(heard);
        }
    }

    private static final class BadlyClosed implements Handler<Integer>, AutoCloseable {
        @Override
        public void handle(Integer n) {
            throw new IllegalStateException("handler");
        }

        @Override
        public void close() {
            throw new IllegalStateException("close");
        }
    }

    @BugClass(20)
    @EveryStrategy
    void whateverThrowsOnTheWayARestartAndAnEndAreComplete(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, FailurePolicy.restart(1, Duration.ofSeconds(1)))) {
            var actor = scope.named("tom").onExit(() -> {
                throw new IllegalStateException("hook");
            }).newActorFrom(BadlyClosed::new);
            var other = scope.anonymous().<String>newActor((context, message) -> context.watch(actor, end -> {
                throw new IllegalStateException("notice");
            }));
            other.sendMessage("watch");
            other.execAndWait(() -> {
            });
            actor.sendMessage(1);
            actor.sendMessage(2);
            Waits.stopped(actor);
            Waits.until("all is told", () -> recorder.of(Failed.class).size() >= 6);
            assertThat(recorder.of(Failed.class)).extracting(event -> event.cause().getMessage())
                    .containsExactlyInAnyOrder("handler", "close", "handler", "hook", "close", "notice");
            assertThat(scope.<Integer, Void>find(ActorName.of("tom"))).isEmpty();
        }
    }

    @BugClass(26)
    @EveryStrategy
    void watchersAndLinksHearOfAStartThatFails(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, FailurePolicy.stop())) {
            var heard = new CountDownLatch(1);
            Actor<Integer, Void> actor = scope.named("stillborn").newActorFrom(() -> {
                throw new IllegalStateException("start");
            });
            var linked = scope.anonymous().<String>newActor((context, message) -> context.link(actor));
            linked.sendMessage("link");
            var watcher = scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.reject()))
                    .<String>newActor((context, message) -> {
                        if (message.equals("watch")) {
                            context.watch(actor, end -> "gone");
                        } else {
                            heard.countDown();
                        }
                    });
            watcher.sendMessage("watch");
            Waits.on(heard);
            Waits.stopped(linked);
            assertThat(recorder.of(Stopped.class)).extracting(Stopped::reason)
                    .contains(Stopped.Reason.FAILURE, Stopped.Reason.LINKED);
        }
    }

    @BugClass({23, 27})
    @EveryStrategy
    void anActorInItsPauseCanBeStoppedInEveryWay(Strategy strategy) throws Exception {
        List<Consumer<Actor<Integer, Void>>> ways = List.of(Actor::askExit, Actor::sendPoisonPill,
                actor -> actor.stop(Duration.ofSeconds(5)), actor -> actor.stop(Duration.ZERO), Actor::close);
        for (var way : ways) {
            try (var scope = scope(strategy, WITH_PAUSES)) {
                var actor = scope.anonymous().newActor((Integer n) -> {
                    throw new IllegalStateException("always");
                });
                actor.sendMessage(1);
                Waits.until("a pause", () -> time.pending() == 1);
                assertThat(actor.sendMessage(2)).isTrue();
                assertThat(actor.state()).isEqualTo(ActorState.BUSY);
                way.accept(actor);
                Waits.stopped(actor);
                assertThat(time.pending()).isZero();
                assertThat(actor.counters().total()).isEqualTo(2);
            }
        }
    }

    @BugClass(28)
    @EveryStrategy
    void aNameIsKeptDuringRestartsAndFreeAfterStartsThatFail(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, FailurePolicy.stop())) {
            for (int i = 0; i < 100; i++) {
                Actor<Integer, Void> actor = scope.named("tom").newActorFrom(() -> {
                    throw new IllegalStateException("start");
                });
                Waits.stopped(actor);
                assertThat(scope.<Integer, Void>find(ActorName.of("tom"))).isEmpty();
            }
            var actor = scope.named("tom").onFailure(WITH_PAUSES).newActor((Integer n) -> {
                throw new IllegalStateException("always");
            });
            actor.sendMessage(1);
            Waits.until("a pause", () -> time.pending() == 1);
            assertThat(scope.<Integer, Void>find(ActorName.of("tom"))).contains(actor);
            assertThatThrownBy(() -> scope.named("tom").newActor((Integer n) -> {
            })).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @BugClass(29)
    @EveryStrategy
    void aRestartStormEnds(Strategy strategy) throws Exception {
        for (var startFails : new boolean[]{false, true}) {
            var heard = new Recorder();
            try (var scope = Scopes.configure().strategy(strategy.create()).listener(heard).time(time)
                    .onFailure(FailurePolicy.restart(5, Duration.ofMinutes(1))).open()) {
                var made = new AtomicInteger();
                Actor<Integer, Void> actor = scope.anonymous().newActorFrom(() -> {
                    made.incrementAndGet();
                    if (startFails) {
                        throw new IllegalStateException("start");
                    }
                    return n -> {
                        throw new IllegalStateException("handler");
                    };
                });
                IntStream.range(0, 20).forEach(actor::sendMessage);
                Waits.stopped(actor);
                assertThat(made).hasValue(6);
                heard.only(Escalated.class);
                assertThat(actor.counters().total()).isEqualTo(20);
            }
        }
    }
}
