package io.fibry.cycles;

import static io.fibry.cycles.ReentrantTest.ask;
import static io.fibry.cycles.ReentrantTest.askOutside;
import static io.fibry.cycles.ReentrantTest.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.ActorStoppedException;
import io.fibry.AskTimeoutException;
import io.fibry.ContextCarrier;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.cycles.ReentrantTest.Work;
import io.fibry.event.Failed;
import io.fibry.event.Restarted;
import io.fibry.testing.Aside;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Assumptions;

/** What ends the handlers of a reentrant actor, and what belongs to each of them. */
class ReentrantEndsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Recorder events = new Recorder();
    private final CountDownLatch inside = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final List<String> log = Collections.synchronizedList(new ArrayList<>());

    /** Waits until the test lets it go on. */
    private final Work inner = context -> {
        log.add("inner begins");
        inside.countDown();
        Waits.on(goOn);
        log.add("inner ends");
        return "inner";
    };

    private static void requireOtherThreads(Strategy strategy) {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() the sender would wait");
    }

    @Promise("37.11")
    @EveryStrategy
    void aWaitThatIsCancelledEndsAfterTheInnerHandler(Strategy strategy) throws Exception {
        requireOtherThreads(strategy);
        try (var scope = Scopes.on(strategy, events)) {
            var front = worker(scope.anonymous().reentrant());
            var back = worker(scope.anonymous());
            var pending = new AtomicReference<CompletableFuture<Object>>();
            var outer = front.sendMessageReturn(a -> {
                pending.set(back.sendMessageReturn(b -> ask(front, inner)));
                try {
                    return pending.get().get();
                } catch (CancellationException e) {
                    log.add("cancelled");
                    return "outer";
                }
            });
            Waits.on(inside);
            pending.get().cancel(true);
            assertThat(outer).isNotDone();
            goOn.countDown();
            assertThat(Waits.on(outer)).isEqualTo("outer");
            assertThat(log).containsExactly("inner begins", "inner ends", "cancelled");
        }
    }

    @Promise("37.11")
    @EveryStrategy
    void aWaitWhoseTimeIsOverEndsAfterTheInnerHandler(Strategy strategy) throws Exception {
        requireOtherThreads(strategy);
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, events, time)) {
            var front = worker(scope.anonymous().reentrant());
            var back = worker(scope.anonymous());
            var outer = front.sendMessageReturn(a -> {
                try {
                    return back.sendMessageReturn(b -> ask(front, inner), SECOND).get();
                } catch (ExecutionException e) {
                    log.add(e.getCause().getClass().getSimpleName());
                    return "outer";
                }
            });
            Waits.on(inside);
            time.advance(SECOND);
            assertThat(outer).isNotDone();
            goOn.countDown();
            assertThat(Waits.on(outer)).isEqualTo("outer");
            assertThat(log).containsExactly("inner begins", "inner ends", "AskTimeoutException");
        }
    }

    @Promise("37.11")
    @EveryStrategy
    void anInnerHandlerHasTheTimeLimitsOfBothAsks(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, events, time)) {
            var front = worker(scope.anonymous().reentrant());
            var back = worker(scope.anonymous());
            assertThat(Waits.on(front.sendMessageReturn(a -> {
                assertThat(a.timeLeft()).contains(SECOND);
                ask(back, b -> front.sendMessageReturn(c -> {
                    assertThat(c.timeLeft()).contains(Duration.ofMillis(10));
                    return null;
                }, Duration.ofMillis(10)).get());
                ask(back, b -> front.sendMessageReturn(c -> {
                    assertThat(c.timeLeft()).contains(SECOND);
                    return null;
                }, Duration.ofDays(1)).get());
                assertThat(a.timeLeft()).contains(SECOND);
                return "outer";
            }, SECOND))).isEqualTo("outer");
        }
    }

    @Promise("37.11")
    @EveryStrategy
    void anAskThatExpiresLeavesItsInnerHandlerAlone(Strategy strategy) throws Exception {
        requireOtherThreads(strategy);
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, events, time)) {
            var front = worker(scope.anonymous().reentrant());
            var back = worker(scope.anonymous());
            var expired = new CompletableFuture<Throwable>();
            var outer = front.sendMessageReturn(a -> ask(back, b -> {
                try {
                    return front.sendMessageReturn(inner, SECOND).get();
                } catch (ExecutionException e) {
                    expired.complete(e.getCause());
                    return "late";
                }
            }));
            Waits.on(inside);
            time.advance(SECOND);
            assertThat(Waits.on(expired)).isInstanceOf(AskTimeoutException.class);
            assertThat(outer).isNotDone();
            goOn.countDown();
            assertThat(Waits.on(outer)).isEqualTo("late");
            assertThat(log).containsExactly("inner begins", "inner ends");
        }
    }

    private static Work failing(String text) {
        return context -> {
            throw new IllegalStateException(text);
        };
    }

    @Promise("37.11")
    @EveryStrategy
    void aFailureFailsItsAskAndARestartComesAfterTheOutermostHandler(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var made = new AtomicInteger();
            var front = new AtomicReference<Actor<Work, Object>>();
            var back = worker(scope.anonymous());
            front.set(scope.anonymous().reentrant().onFailure(FailurePolicy.restart())
                    .state(made::incrementAndGet)
                    .newActorWithReturn((ActorContext<Work, Object> context, Integer state, Work work) -> work
                            .run(context) + "/" + state));
            assertThat(askOutside(front.get(), a -> {
                assertThatThrownBy(() -> ask(back, b -> ask(front.get(), failing("first")))).rootCause()
                        .hasMessage("first");
                assertThat(ask(back, b -> ask(front.get(), c -> "second"))).as("before the restart")
                        .isEqualTo("second/1");
                return "outer";
            })).isEqualTo("outer/1");
            assertThat(askOutside(front.get(), a -> "next")).isEqualTo("next/2");
            assertThat(events.await(Restarted.class, 1)).hasSize(1);
            assertThat(events.of(Failed.class)).hasSize(2); // of back, whose ask has failed, as well
            front.get().close();
            assertThat(front.get().counters().failed()).isEqualTo(1);
            assertThat(front.get().counters().handled()).isEqualTo(3);
        }
    }

    @Promise("37.11")
    @EveryStrategy
    void anActorThatIsToExitTakesNoFurtherAskAndEndsAfterTheOutermostHandler(Strategy strategy)
            throws Exception {
        for (var byPolicy : List.of(true, false)) {
            try (var scope = Scopes.on(strategy, events)) {
                var builder = scope.anonymous().reentrant().onExit(() -> log.add("exit"));
                var front = worker(byPolicy ? builder.onFailure(FailurePolicy.stop()) : builder);
                var back = worker(scope.anonymous());
                assertThat(askOutside(front, a -> {
                    ask(back, b -> {
                        try {
                            return ask(front, c -> {
                                if (byPolicy) {
                                    throw new IllegalStateException("planned");
                                }
                                c.askExit();
                                return null;
                            });
                        } catch (ExecutionException e) {
                            return null;
                        }
                    });
                    assertThatThrownBy(() -> ask(back, b -> ask(front, c -> log.add("late")))).rootCause()
                            .isInstanceOf(ActorStoppedException.class);
                    return log.add("outer ends");
                })).isEqualTo(true);
                Waits.stopped(front);
                assertThat(log).containsExactly("outer ends", "exit");
                log.clear();
            }
        }
    }

    @Promise("37.11")
    @EveryStrategy
    void aPoisonPillWaitsForAllOfThem(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var front = worker(scope.anonymous().reentrant().onExit(() -> log.add("exit")));
            var back = worker(scope.anonymous());
            askOutside(front, a -> {
                front.sendPoisonPill();
                ask(back, b -> ask(front, c -> log.add("inner")));
                return log.add("outer ends");
            });
            Waits.stopped(front);
            assertThat(log).containsExactly("inner", "outer ends", "exit");
        }
    }

    @Promise("37.11")
    @EveryStrategy
    void aForcedStopInterruptsTheInnerHandlerAndTheOneAroundIt(Strategy strategy) throws Exception {
        requireOtherThreads(strategy);
        try (var scope = Scopes.on(strategy, events)) {
            var front = worker(scope.anonymous().reentrant());
            var back = worker(scope.anonymous());
            var outer = front.sendMessageReturn(a -> {
                try {
                    return ask(back, b -> {
                        try {
                            return ask(front, inner);
                        } catch (ExecutionException e) {
                            log.add(e.getCause().getClass().getSimpleName());
                            Waits.on(goOn); // gives no answer, so only the interrupt ends the wait
                            return null;
                        }
                    });
                } catch (InterruptedException e) {
                    return "interrupted";
                }
            });
            Waits.on(inside);
            var stopped = Aside.run(() -> front.stop(Duration.ZERO));
            assertThat(Waits.on(outer)).isEqualTo("interrupted");
            Waits.on(stopped);
            Waits.until("the other actor hears of it", () -> log.size() == 2);
            goOn.countDown();
            assertThat(front.state()).isEqualTo(ActorState.STOPPED);
            assertThat(log).containsExactly("inner begins", "InterruptedException");
        }
    }

    @Promise("37.11")
    @EveryStrategy
    void aCancelledAskInterruptsItsOwnInnerHandler(Strategy strategy) throws Exception {
        requireOtherThreads(strategy);
        try (var scope = Scopes.on(strategy, events)) {
            var front = worker(scope.anonymous().reentrant().interruptOnCancel());
            var back = worker(scope.anonymous());
            var pending = new AtomicReference<CompletableFuture<Object>>();
            var outer = front.sendMessageReturn(a -> ask(back, b -> {
                pending.set(front.sendMessageReturn(inner));
                try {
                    return pending.get().get();
                } catch (CancellationException e) {
                    return "cancelled";
                }
            }));
            Waits.on(inside);
            pending.get().cancel(true);
            assertThat(Waits.on(outer)).isEqualTo("cancelled");
            assertThat(log).containsExactly("inner begins");
            assertThat(askOutside(front, a -> Thread.currentThread().isInterrupted())).isEqualTo(false);
        }
    }

    @Promise({"37.11", "12.2"})
    @EveryStrategy
    void anInterruptThatAnInnerHandlerLeavesDoesNotEndTheWaitAroundIt(Strategy strategy) throws Exception {
        requireOtherThreads(strategy);
        try (var scope = Scopes.on(strategy, events)) {
            var front = worker(scope.anonymous().reentrant());
            var back = worker(scope.anonymous());
            var waiting = new AtomicReference<Thread>();
            var outer = front.sendMessageReturn(a -> {
                waiting.set(Thread.currentThread());
                return ask(back, b -> {
                    ask(front, c -> {
                        Thread.currentThread().interrupt();
                        return null;
                    });
                    inside.countDown();
                    Waits.on(goOn);
                    return "answer";
                });
            });
            Waits.on(inside);
            Waits.until("the outer handler waits again", () -> outer.isDone()
                    || waiting.get().getState() == Thread.State.WAITING);
            goOn.countDown();
            assertThat(Waits.on(outer)).isEqualTo("answer");
        }
    }

    @Promise({"37.11", "4.5"})
    @EveryStrategy
    void anAskThatIsHandledInsideAnotherHandlerGivesItsPlaceBack(Strategy strategy) throws Exception {
        requireOtherThreads(strategy);
        try (var scope = Scopes.on(strategy, events)) {
            var front = worker(
                    scope.anonymous().reentrant().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.block())));
            var back = worker(scope.anonymous());
            assertThat(askOutside(front, a -> ask(back, b -> {
                var pending = front.sendMessageReturn(c -> {
                    Waits.on(inside);
                    return "inner";
                });
                var sender = Thread.startVirtualThread(() -> {
                    front.sendMessage(d -> log.add("blocked"));
                    inside.countDown();
                });
                Waits.parked(sender);
                return pending.get();
            }))).isEqualTo("inner");
            askOutside(front, a -> log.add("last"));
            assertThat(log).containsExactly("blocked", "last");
            Waits.until("all are counted", () -> front.counters().total() == 4);
            assertThat(front.counters().handled()).isEqualTo(4);
        }
    }

    @Promise("37.12")
    @EveryStrategy
    void anInnerHandlerMayDeferItsReply(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var front = worker(scope.anonymous().reentrant());
            var back = worker(scope.anonymous());
            for (int i = 0; i < 2; i++) {
                assertThat(askOutside(front, a -> ask(back, b -> ask(front, c -> {
                    var reply = c.deferReply();
                    Thread.startVirtualThread(() -> reply.complete("later"));
                    return null;
                })))).isEqualTo("later");
            }
            assertThat(askOutside(front, a -> { // the outer one defers, and then waits
                var reply = a.deferReply();
                ask(back, b -> ask(front, c -> log.add("inner")));
                reply.complete("outer");
                return null;
            })).isEqualTo("outer");
        }
    }

    @Promise("37.12")
    @EveryStrategy
    void anInnerHandlerMayReplaceTheHandlerForWhatComesAfterIt(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var front = worker(scope.anonymous().reentrant());
            var back = worker(scope.anonymous());
            assertThat(askOutside(front, a -> {
                ask(back, b -> ask(front, c -> {
                    c.becomeWithReturn((d, work) -> "replaced");
                    return null;
                }));
                return "outer and " + ask(back, b -> ask(front, c -> "not run"));
            })).isEqualTo("outer and replaced");
            assertThat(askOutside(front, a -> "not run")).isEqualTo("replaced");
        }
    }

    @Promise("37.12")
    @EveryStrategy
    void eachHandlerHasTheContextOfItsOwnMessage(Strategy strategy) throws Exception {
        var user = new ThreadLocal<String>();
        try (var scope = ActorScope.configure("test").strategy(strategy.create()).listener(events)
                .carry(ContextCarrier.of(user)).senderSites(1).open()) {
            var front = worker(scope.anonymous().reentrant());
            var back = worker(scope.anonymous());
            user.set("ann");
            assertThat(askOutside(front, a -> {
                assertThat(ask(back, b -> {
                    user.set("bob");
                    return ask(front, c -> user.get());
                })).isEqualTo("bob");
                assertThat(ask(back, b -> {
                    user.remove();
                    return "" + ask(front, c -> user.get());
                })).isEqualTo("null");
                return user.get();
            })).isEqualTo("ann");
            user.remove();
            failsOutside(front, a -> {
                assertThatThrownBy(() -> ask(back, b -> ask(front, failing("inner")))).rootCause()
                        .hasMessage("inner");
                throw new IllegalStateException("outer");
            }, "outer");
            var sites = events.of(Failed.class).stream().filter(each -> each.actor().equals(front.name()))
                    .map(each -> each.sentFrom().orElseThrow().toString()).distinct().toList();
            assertThat(sites).as("the inner one, and the outer one").hasSize(2);
        }
    }

    private static void failsOutside(Actor<Work, Object> actor, Work work, String failure) throws Exception {
        assertThat(Waits.failure(actor.sendMessageReturn(work))).hasMessage(failure);
    }
}
