package io.fibry.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.AskCycleException;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Failed;
import io.fibry.function.Body;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Patience;
import io.fibry.testing.Probe;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class ActorExecutorServiceTest {
    private static final Runnable NOTHING = () -> {
    };

    private final Recorder events = new Recorder();

    /** The service of an actor, and the one that runs tasks side by side. */
    private static List<Function<ActorScope, ExecutorService>> both() {
        return List.of(scope -> ActorExecutorService.of(scope.anonymous().newActor((String message) -> {
        })), scope -> ActorExecutorService.sideBySide(scope.anonymous()));
    }

    private static boolean ends(ExecutorService service) throws InterruptedException {
        return service.awaitTermination(Patience.MILLIS, TimeUnit.MILLISECONDS);
    }

    @Promise({"46.26", "46.27"})
    @EveryStrategy
    void tasksRunAndTheirFuturesComplete(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            for (var kind : both()) {
                var service = kind.apply(scope);
                var ran = new AtomicInteger();
                assertThat(Waits.on(service.submit(() -> "result"))).isEqualTo("result");
                assertThat(Waits.on(service.submit(ran::incrementAndGet, "given"))).isEqualTo("given");
                assertThat(Waits.on(service.submit((Runnable) ran::incrementAndGet))).isNull();
                service.execute(ran::incrementAndGet);
                var broken = service.submit(() -> {
                    throw new IOException("broken");
                });
                assertThatThrownBy(() -> Waits.on(broken)).isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(IOException.class);
                assertThat(service.isShutdown()).isFalse();
                service.close();
                assertThat(ran).hasValue(3);
                assertThat(service.isShutdown()).isTrue();
                assertThat(service.isTerminated()).isTrue();
                assertThat(service.toString()).contains("terminated", "tasks: 0");
            }
            assertThat(events.of(Failed.class)).isEmpty();
        }
    }

    @Promise("46.26")
    @EveryStrategy
    void tasksOfAnActorRunInTurnWithItsMessages(Strategy strategy) throws Exception {
        var probe = new Probe();
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.anonymous().newActor((String message) -> probe.visit());
            try (var first = ActorExecutorService.of(actor); var second = ActorExecutorService.of(actor)) {
                for (int i = 0; i < 200; i++) {
                    first.execute(probe::visit);
                    actor.sendMessage("message");
                    second.submit(probe::visit);
                }
            }
            actor.close();
        }
        probe.assertNeverTwoInside();
        assertThat(probe.visits()).isEqualTo(600);
    }

    @Promise("46.27")
    @EveryStrategy
    void tasksOfAStrategyRunSideBySide(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() the submitter runs the tasks");
        try (var scope = Scopes.on(strategy, events);
                var service = ActorExecutorService.sideBySide(scope.anonymous())) {
            var barrier = new CyclicBarrier(2);
            Callable<Integer> meet = () -> barrier.await(Patience.MILLIS, TimeUnit.MILLISECONDS);
            assertThat(service.invokeAll(List.of(meet, meet))).extracting(Future::get)
                    .containsExactlyInAnyOrder(0, 1);
        }
    }

    @Promise("46.26")
    @EveryStrategy
    void aFailureOfAnExecutedTaskIsOneOfTheActor(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.named("worker").onFailure(FailurePolicy.stop()).newActor((String message) -> {
            });
            var service = ActorExecutorService.of(actor);
            var failed = service.submit(() -> {
                throw new IllegalStateException("in the future");
            });
            assertThatThrownBy(() -> Waits.on(failed)).hasRootCauseMessage("in the future");
            assertThat(events.of(Failed.class)).isEmpty();
            service.execute(() -> {
                throw new IllegalStateException("of the actor");
            });
            Waits.stopped(actor);
            assertThat(events.only(Failed.class).cause()).hasMessage("of the actor");
            assertThat(service.isShutdown()).isTrue();
            assertThat(ends(service)).isTrue();
        }
    }

    @Promise("46.29")
    @EveryStrategy
    void whatIsRefusedIsRejected(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            for (var kind : both()) {
                var service = kind.apply(scope);
                service.shutdown();
                assertThatThrownBy(() -> service.submit(() -> 1))
                        .isInstanceOf(RejectedExecutionException.class)
                        .hasMessageContaining("shut down");
                assertThatThrownBy(() -> service.execute(() -> {
                })).isInstanceOf(RejectedExecutionException.class);
                assertThat(ends(service)).isTrue();
            }
            var stopped = scope.named("gone").newActor((String message) -> {
            });
            stopped.close();
            assertThatThrownBy(() -> ActorExecutorService.of(stopped).submit(() -> 1))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessageContainingAll("'gone'", "STOPPED", "give the code to an actor that goes on");
            for (var policy : List.of(OverflowPolicy.reject(), OverflowPolicy.fail())) {
                var full =
                        scope.anonymous().mailbox(MailboxPolicy.bounded(1, policy)).newActor((String m) -> {
                        });
                try (var gate = Gate.in(full); var service = ActorExecutorService.of(full)) {
                    var waits = service.submit(() -> 1);
                    assertThatThrownBy(() -> service.submit(() -> 2))
                            .isInstanceOf(RejectedExecutionException.class);
                    gate.open();
                    assertThat(Waits.on(waits)).isEqualTo(1);
                }
            }
        }
    }

    @Promise("46.29")
    @EveryStrategy
    void whatWasQueuedAtAShutdownRuns(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> n);
            var service = ActorExecutorService.of(actor);
            try (var gate = Gate.in(actor)) {
                var queued = service.submit(() -> 1);
                service.shutdown();
                assertThat(service.isTerminated()).isFalse();
                assertThat(service.awaitTermination(0, TimeUnit.SECONDS)).isFalse();
                gate.open();
                assertThat(ends(service)).isTrue();
                assertThat(queued.isDone()).isTrue();
                assertThat(queued.resultNow()).isEqualTo(1);
            }
            assertThat(actor.apply(3)).as("the actor goes on").isEqualTo(3);
        }
    }

    @Promise("46.29")
    @EveryStrategy
    void whatWasQueuedAtAShutdownNowIsReturned(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> n);
            var service = ActorExecutorService.of(actor);
            var ran = new ArrayList<String>();
            Runnable executed = () -> ran.add("executed");
            try (var gate = Gate.in(actor)) {
                var submitted = service.submit(() -> ran.add("submitted"));
                service.execute(executed);
                var cancelled = service.submit(() -> ran.add("cancelled"));
                var left = service.submit(() -> ran.add("left"));
                assertThat(cancelled.cancel(false)).isTrue();
                var returned = service.shutdownNow();
                assertThat(returned).hasSize(3);
                assertThat(returned.get(0)).isSameAs(submitted);
                assertThat(returned.get(1)).isSameAs(executed);
                assertThat(service.isTerminated()).isTrue();
                gate.open();
                assertThat(actor.apply(3)).isEqualTo(3);
                assertThat(ran).isEmpty();
                assertThat(submitted.isDone()).isFalse();
                returned.get(0).run();
                returned.get(0).run();
                assertThat(Waits.on(submitted)).isTrue();
                assertThat(ran).containsExactly("submitted");
                assertThat(left.cancel(true)).isTrue();
                returned.get(2).run();
                assertThat(ran).containsExactly("submitted");
                assertThat(service.shutdownNow()).isEmpty();
            }
        }
    }

    @Promise("46.29")
    @EveryStrategy
    void aTaskThatIsLostWithItsActorCompletes(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.named("gone").newActor((String message) -> {
            });
            var service = ActorExecutorService.of(actor);
            try (var gate = Gate.in(actor)) {
                var queued = service.submit(() -> 1);
                actor.askExit();
                gate.open();
                assertThatThrownBy(() -> Waits.on(queued)).hasCauseInstanceOf(ActorStoppedException.class);
            }
            Waits.stopped(actor);
            assertThat(service.isTerminated()).isTrue();
        }
    }

    @Promise("46.27")
    @EveryStrategy
    void aCancelledTaskIsInterruptedWhereThatIsPromised(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() the submitter is in the task");
        try (var scope = Scopes.on(strategy, events)) {
            var services = List
                    .of(ActorExecutorService.of(scope.anonymous().interruptOnCancel().newActor((String m) -> {
                    })), ActorExecutorService.sideBySide(scope.anonymous()));
            for (var service : services) {
                for (var way : List.of("cancel", "shutdownNow")) {
                    var begun = new CountDownLatch(1);
                    var interrupted = new CountDownLatch(1);
                    var task = service.submit(() -> {
                        Waits.untilInterrupted(begun, interrupted);
                        return 1;
                    });
                    Waits.on(begun);
                    if (way.equals("cancel")) {
                        assertThat(task.cancel(true)).isTrue();
                    } else {
                        assertThat(service.shutdownNow()).isEmpty();
                    }
                    Waits.on(interrupted);
                }
                assertThat(ends(service)).isTrue();
            }
            assertThat(events.of(Failed.class)).isEmpty();
        }
    }

    @Promise("46.27")
    @EveryStrategy
    void noTaskIsInterruptedThatIsCancelledWithoutThat(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() the submitter is in the task");
        try (var scope = Scopes.on(strategy, events);
                var service = ActorExecutorService.sideBySide(scope.anonymous())) {
            var begun = new CountDownLatch(1);
            var go = new CountDownLatch(1);
            var ended = new CountDownLatch(1);
            var task = service.submit(() -> {
                begun.countDown();
                go.await();
                ended.countDown();
                return 1;
            });
            Waits.on(begun);
            assertThat(task.cancel(false)).isTrue();
            service.shutdown();
            assertThat(service.isTerminated()).as("a cancelled task still runs").isFalse();
            go.countDown();
            Waits.on(ended);
            assertThat(ends(service)).isTrue();
        }
    }

    @Promise("46.26")
    @EveryStrategy
    void allAndAnyAndACompletionServiceWork(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            for (var kind : both()) {
                var service = kind.apply(scope);
                Callable<Integer> fails = () -> {
                    throw new IOException("no");
                };
                assertThat(service.invokeAll(List.of(() -> 1, () -> 2))).extracting(Future::resultNow)
                        .containsExactly(1, 2);
                assertThat(service.invokeAll(List.of(fails, () -> 2), 1, TimeUnit.MINUTES))
                        .extracting(Future::state)
                        .containsExactly(Future.State.FAILED, Future.State.SUCCESS);
                assertThat(service.invokeAny(List.of(fails, () -> 2))).isEqualTo(2);
                assertThat(service.invokeAny(List.of(fails, () -> 2), 1, TimeUnit.MINUTES)).isEqualTo(2);
                assertThatThrownBy(() -> service.invokeAny(List.of(fails, fails)))
                        .isInstanceOf(ExecutionException.class).hasCauseInstanceOf(IOException.class);
                assertThatThrownBy(() -> service.invokeAny(List.<Callable<Integer>>of()))
                        .isInstanceOf(IllegalArgumentException.class);
                var done = new ExecutorCompletionService<Integer>(service);
                done.submit(() -> 5);
                done.submit(() -> 7);
                assertThat(List.of(done.take().get(), done.take().get())).containsExactlyInAnyOrder(5, 7);
                service.close();
            }
            assertThat(events.of(Failed.class)).isEmpty();
        }
    }

    @Promise("46.26")
    @EveryStrategy
    void anyEndsWithItsTime(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() the caller runs the tasks");
        try (var scope = Scopes.on(strategy, events);
                var service = ActorExecutorService.sideBySide(scope.anonymous())) {
            Callable<Integer> endless = () -> {
                new CountDownLatch(1).await();
                return 1;
            };
            assertThatThrownBy(() -> service.invokeAny(List.of(endless, endless), 1, TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);
            assertThat(service.invokeAll(List.of(endless), 1, TimeUnit.MILLISECONDS))
                    .allMatch(Future::isCancelled);
        } // and all of them have been interrupted
    }

    @Promise("46.29")
    @Test
    void anyFailsIfItsTasksAreLostWithTheScope() throws Exception {
        try (var scope = Scopes.configure().strategy(CreationStrategy.pool(1)).open()) {
            var service = ActorExecutorService.sideBySide(scope.anonymous());
            var begun = new CountDownLatch(1);
            var running = service.submit(() -> {
                begun.countDown();
                new CountDownLatch(1).await();
                return 0;
            });
            Waits.on(begun);
            var any = new CompletableFuture<Integer>();
            var asking = Thread.ofVirtual().start(() -> {
                try {
                    any.complete(service.invokeAny(List.of(() -> 1, () -> 2)));
                } catch (InterruptedException | ExecutionException failure) {
                    any.completeExceptionally(failure);
                }
            });
            Waits.until("all are queued", () -> service.toString().contains("tasks: 3"));
            scope.stop(Duration.ZERO);
            try {
                assertThatThrownBy(() -> Waits.on(any)).rootCause().isInstanceOf(ActorStoppedException.class);
                assertThatThrownBy(() -> Waits.on(running)).isInstanceOf(ExecutionException.class);
            } finally {
                asking.interrupt();
                asking.join();
            }
        }
    }

    @Promise("46.27")
    @Test
    void aTaskThatBeginsWhileItIsGivenIsInterrupted() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var actor = scope.anonymous().interruptOnCancel().newActor((String message) -> {
            });
            var begun = new CountDownLatch(1);
            var isShut = new CountDownLatch(1);
            var service = ActorExecutorService.of(slowToGive(actor, () -> Waits.on(isShut)));
            var interrupted = new CompletableFuture<Boolean>();
            var giver = Thread.ofVirtual().start(() -> service.execute(() -> {
                begun.countDown();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    interrupted.complete(true);
                }
            }));
            Waits.on(begun);
            assertThat(service.shutdownNow()).isEmpty();
            isShut.countDown();
            assertThat(Waits.on(interrupted)).isTrue();
            giver.join();
            assertThat(ends(service)).isTrue();
        }
    }

    @Promise("46.27")
    @Test
    void aTaskThatIsCancelledWhileItIsGivenIsInterrupted() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var actor = scope.anonymous().interruptOnCancel().newActor((String message) -> {
            });
            var begun = new CountDownLatch(1);
            var interrupted = new CountDownLatch(1);
            var over = new CompletableFuture<@Nullable Object>();
            var service = ActorExecutorService.of(slowToGive(actor, () -> {
                Waits.on(begun);
                over.completeExceptionally(new TimeoutException());
            }));
            assertThatThrownBy(() -> service.first(List.of(() -> {
                Waits.untilInterrupted(begun, interrupted);
                return 1;
            }), over)).isInstanceOf(TimeoutException.class);
            Waits.on(interrupted);
            service.shutdown();
            assertThat(ends(service)).isTrue();
        }
    }

    @Promise("46.27")
    @Test
    void aTaskThatIsCancelledWhileItIsGivenKeepsNoPlace() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var release = new CountDownLatch(1);
            var actor = scope.anonymous().newActor((String message) -> Waits.on(release));
            actor.sendMessage("busy");
            var over = new CompletableFuture<@Nullable Object>();
            var service = ActorExecutorService.of(
                    slowToGive(actor, () -> over.completeExceptionally(new TimeoutException())));
            try {
                assertThatThrownBy(() -> service.first(List.of(() -> 1), over))
                        .isInstanceOf(TimeoutException.class);
                assertThat(service.toString()).contains("tasks: 0");
            } finally {
                release.countDown();
            }
        }
    }

    /** Returns an actor whose giver of code goes on when a wait is over: the code may begin before it knows the future. */
    private static Actor<?, ?> slowToGive(Actor<?, ?> actor, Body wait) {
        return (Actor<?, ?>) Proxy.newProxyInstance(Actor.class.getClassLoader(), new Class<?>[]{Actor.class},
                (proxy, method, arguments) -> {
                    var result = method.invoke(actor, arguments);
                    if (method.getName().equals("execFuture")) {
                        wait.run();
                    }
                    return result;
                });
    }

    @Promise("46.32")
    @EveryStrategy
    void aWaitInsideTheActorIsRefused(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.named("self").newActor((String message) -> {
            });
            var service = ActorExecutorService.of(actor);
            var refused = new AtomicReference<Throwable>();
            service.submit(() -> {
                var inner = service.submit(() -> 1);
                try {
                    inner.get();
                } catch (AskCycleException e) {
                    refused.set(e);
                }
                return 1;
            }).get();
            assertThat(refused.get()).isInstanceOf(AskCycleException.class).hasMessageContaining("'self'");
            for (var wait : List.<Callable<?>>of(() -> service.invokeAll(List.of(() -> 1)),
                    () -> service.invokeAny(List.of(() -> 1)),
                    () -> service.invokeAny(List.of(() -> 1), 1, TimeUnit.DAYS))) {
                if (strategy != Strategy.CALLER) {
                    assertThatThrownBy(() -> Waits.on(service.submit(wait)))
                            .hasCauseInstanceOf(AskCycleException.class);
                }
            }
            assertThatThrownBy(
                    () -> Waits.on(service.submit(() -> service.awaitTermination(1, TimeUnit.DAYS))))
                    .hasCauseInstanceOf(IllegalStateException.class).hasMessageContaining("call it outside");
            service.submit(service::close).get();
            assertThat(ends(service)).isTrue();
            if (strategy == Strategy.CALLER) {
                return; // there a task runs below the one that it gives
            }
            var side = ActorExecutorService.sideBySide(scope.anonymous());
            List<Callable<Integer>> two = List.of(() -> 2);
            int sum = Waits.on(side.submit(() -> side.submit(() -> 1).get() + side.invokeAny(two)));
            assertThat(sum).as("tasks that run side by side wait for each other").isEqualTo(3);
            assertThatThrownBy(() -> Waits.on(side.submit(() -> side.awaitTermination(1, TimeUnit.DAYS))))
                    .hasCauseInstanceOf(IllegalStateException.class);
            side.close();
        }
    }

    @Promise("46.29")
    @EveryStrategy
    void anInterruptedCloseCancelsWhatIsLeft(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() the submitter is in the task");
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.anonymous().interruptOnCancel().newActor((String message) -> {
            });
            var service = ActorExecutorService.of(actor);
            var begun = new CountDownLatch(1);
            var endless = service.submit(() -> {
                begun.countDown();
                new CountDownLatch(1).await();
                return 1;
            });
            var queued = service.submit(() -> 2);
            Waits.on(begun);
            var flag = new AtomicReference<Boolean>();
            var closer = Thread.startVirtualThread(() -> {
                Thread.currentThread().interrupt();
                service.close();
                flag.set(Thread.currentThread().isInterrupted());
            });
            Waits.on(closer);
            assertThat(flag.get()).isTrue();
            assertThat(queued.isCancelled()).isTrue();
            assertThatThrownBy(() -> Waits.on(endless)).hasCauseInstanceOf(InterruptedException.class);
        }
    }

    @Promise("46.27")
    @EveryStrategy
    void theServiceOfAStrategyEndsWithItsScopeAndLeavesNothing(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var service = ActorExecutorService.sideBySide(scope.named("tasks"));
            assertThat(Waits.on(service.submit(() -> 1))).isEqualTo(1);
            service.shutdown();
            assertThat(ends(service)).isTrue();
            Waits.until("its actor ends", () -> scope.names().isEmpty());
            var left = ActorExecutorService.sideBySide(scope.anonymous());
            assertThat(scope.stop(Duration.ofMinutes(1)).stopped()).isTrue();
            assertThatThrownBy(() -> left.submit(() -> 1)).isInstanceOf(RejectedExecutionException.class);
            assertThat(left.isTerminated()).isTrue();
        }
    }

    @Promise("46.29")
    @EveryStrategy
    void theEndOfTheActorTerminatesItsService(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "the wait needs a thread of its own");
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.anonymous().newActor((String message) -> {
            });
            var service = ActorExecutorService.of(actor);
            assertThat(Waits.on(service.submit(() -> 1))).isEqualTo(1);
            var waiting = new CompletableFuture<Thread>();
            var terminated = new CompletableFuture<Boolean>();
            Thread.ofPlatform().start(() -> {
                waiting.complete(Thread.currentThread());
                try {
                    terminated.complete(ends(service));
                } catch (Throwable failure) {
                    terminated.completeExceptionally(failure);
                }
            });
            Waits.until("it waits", () -> waiting.join().getState() != Thread.State.RUNNABLE);
            actor.askExit();
            assertThat(Waits.on(terminated)).isTrue();
            assertThat(service.isTerminated()).isTrue();
        }
    }

    @Promise("46.32")
    @EveryStrategy
    void aChildOfTheActorMayWaitForItsTasks(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() the child runs inside its parent");
        try (var scope = Scopes.on(strategy, events)) {
            var made = new CompletableFuture<Actor<String, Object>>();
            var parent = scope.anonymous()
                    .newActor((ActorContext<String, Void> context, String message) -> made
                            .complete(context.child()
                                    .newActorWithReturn((String m) -> ActorExecutorService.of(context.self())
                                            .invokeAll(List.<Callable<String>>of(() -> m)).getFirst()
                                            .resultNow())));
            parent.sendMessage("make");
            assertThat(Waits.on(Waits.on(made).sendMessageReturn("from the child")))
                    .isEqualTo("from the child");
        }
    }

    /** A text is made outside of the lock: this one needs the lock on another thread. */
    @Promise("46.29")
    @EveryStrategy
    void theTextOfARefusedTaskMayUseTheService(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            for (var kind : both()) {
                var service = kind.apply(scope);
                service.shutdown();
                assertThatThrownBy(() -> service.execute(new Runnable() {
                    @Override
                    public void run() {
                    }

                    @Override
                    public String toString() {
                        var asked = new CompletableFuture<Boolean>();
                        Thread.ofPlatform().start(() -> asked.complete(service.isShutdown()));
                        return "shut down: " + asked.join();
                    }
                })).isInstanceOf(RejectedExecutionException.class).hasMessageContaining("shut down: true");
            }
        }
    }

    @Promise("46.26")
    @EveryStrategy
    void allAreCompleteWhenTheTimeOfTheHandlerIsOver(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() the tasks run before the wait");
        var time = new ManualTime(); // the ask is not over before its handler has begun, and waits by this clock
        try (var scope = Scopes.on(strategy, events, time)) {
            var release = new CountDownLatch(1);
            var begun = new CountDownLatch(1);
            var busy = scope.anonymous().newActor((String message) -> Waits.on(release));
            busy.sendMessage("stay");
            var seen = new CompletableFuture<List<Boolean>>();
            var asking = scope.anonymous().newActorWithReturn((String message) -> {
                begun.countDown();
                return seen.complete(ActorExecutorService.of(busy)
                        .invokeAll(List.<Callable<Integer>>of(() -> 1, () -> 2)).stream()
                        .map(Future::isDone).toList());
            });
            var answer = asking.ask("go", Duration.ofMillis(50));
            Waits.on(begun);
            time.advance(Duration.ofMillis(50));
            try {
                assertThat(Waits.on(seen)).containsExactly(true, true);
                Waits.soon().until(answer::isDone); // by its limit, or by the handler, which goes on at that moment
            } finally {
                release.countDown();
            }
        }
    }

    @Promise("46.29")
    @EveryStrategy
    void manyTasksAreReturnedAtOnce(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() nothing is queued");
        try (var scope = Scopes.on(strategy, events)) {
            var begun = new CountDownLatch(1);
            var release = new CountDownLatch(1);
            var actor = scope.anonymous().newActor((String message) -> {
                begun.countDown();
                Waits.on(release);
            });
            actor.sendMessage("stay");
            Waits.on(begun);
            var service = ActorExecutorService.of(actor);
            for (int i = 0; i < 10_000; i++) {
                service.execute(NOTHING);
            }
            assertThat(service.shutdownNow()).hasSize(10_000).containsOnly(NOTHING);
            release.countDown();
        }
    }
}
