package io.fibry.context;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.ContextCarrier;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ReceivingContext;
import io.fibry.Stereotypes;
import io.fibry.event.Stopped;
import io.fibry.testing.BlockVariable;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What is bound to blocks of code, and carried. */
class ScopedValuesTest {
    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

    private interface Check {
        void with(BlockVariable tenant, ActorScope scope) throws Exception;
    }

    private static void onEach(Strategy strategy, Check check) throws Exception {
        for (var tenant : BlockVariable.all()) {
            try (var scope = ActorSystem.configure("test").strategy(strategy.create()).listener(event -> {
            }).carry(tenant.carrier()).open()) {
                check.with(tenant, scope);
            }
            assertThat(tenant.value()).as("left on this thread").isNull();
        }
    }

    /** On a thread that has nothing bound, and is nobody's. */
    private static <T> T byNobody(Callable<T> code) throws Exception {
        var result = new CompletableFuture<T>();
        var thread = Thread.ofVirtual().start(() -> {
            try {
                result.complete(code.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        Waits.on(thread);
        return result.join();
    }

    private void note(BlockVariable tenant) {
        seen.add("" + tenant.value());
    }

    private void assertSeen(String... tenants) throws InterruptedException {
        for (var tenant : tenants) {
            assertThat(seen.poll(Patience.MILLIS, TimeUnit.MILLISECONDS)).isEqualTo(tenant);
        }
        assertThat(seen).isEmpty();
    }

    @Promise("23.8")
    @EveryStrategy
    void whatTheSenderHadIsThereInTheHandler(Strategy strategy) throws Exception {
        for (var how : List.<UnaryOperator<ActorBuilder>>of(builder -> builder, ActorBuilder::runByCallers,
                builder -> builder.mailbox(MailboxPolicy.bounded(100, OverflowPolicy.block())))) {
            onEach(strategy, (tenant, scope) -> {
                var actor = how.apply(scope.named("a")).newActorWithReturn((String message) -> {
                    note(tenant);
                    return message;
                });
                try (var gate = Gate.in(actor)) {
                    tenant.where("alice", () -> actor.sendMessage("x"));
                    actor.sendMessage("x");
                    tenant.where("bob", () -> actor.sendMessageReturn("x"));
                    tenant.where("bob", () -> actor.ask("x", ofSeconds(60)));
                    actor.execAsync(() -> note(tenant));
                    tenant.where("carol", () -> {
                        actor.execute(() -> note(tenant));
                        actor.execFuture(() -> seen.add("" + tenant.value()));
                        return scope.sendOrKeep(ActorName.of("a"), "x", 0);
                    });
                    gate.open();
                }
                tenant.where("dora", () -> tenant.where("eve", () -> actor.apply("x")));
                actor.apply("x");
                tenant.where("dora", () -> actor.sendMessageReturnWait("x"));
                actor.execAndWait(() -> note(tenant));
                assertSeen("alice", "null", "bob", "bob", "null", "carol", "carol", "carol", "eve", "null",
                        "dora",
                        "null");
            });
        }
    }

    /** Idle or not, on the stack of the one that asks or not: what counts is the moment of sending. */
    @Promise("23.8")
    @EveryStrategy
    void whereItWouldRunDoesNotMatter(Strategy strategy) throws Exception {
        onEach(strategy, (tenant, scope) -> {
            Actor<String, String> back =
                    scope.anonymous().newActorWithReturn((String message) -> "" + tenant.value());
            Actor<String, String> front = scope.anonymous().newActorWithReturn((String message) -> {
                var all = new StringBuilder();
                all.append(tenant.where("carol", () -> back.apply("x"))).append(' ');
                all.append(back.apply("x")).append(' ');
                var before = back.sendMessageReturn("x");
                all.append(tenant.where("mallory", before::join)).append(' ');
                var inside = tenant.where("carol", () -> back.sendMessageReturn("x"));
                all.append(inside.join());
                return all.toString();
            });
            for (int i = 0; i < 50; i++) {
                assertThat(Waits.on(front.sendMessageReturn("x"))).isEqualTo("carol null null carol");
                assertThat(Waits.on(tenant.where("alice", () -> front.sendMessageReturn("x"))))
                        .isEqualTo("carol alice alice carol");
            }
        });
    }

    /** A caller's thread that handles what others have sent meanwhile. */
    @Promise("23.8")
    @EveryStrategy
    void aThreadThatHandlesForOthersShowsThemNothingOfItsOwn(Strategy strategy) throws Exception {
        onEach(strategy, (tenant, scope) -> {
            for (var how : List.<UnaryOperator<ActorBuilder>>of(builder -> builder,
                    ActorBuilder::runByCallers)) {
                var entered = new CountDownLatch(1);
                var goOn = new CountDownLatch(1);
                var actor = how.apply(scope.anonymous()).newActorWithReturn(
                        (ActorContext<String, String> context, String message) -> {
                            if (message.equals("first")) {
                                entered.countDown();
                                goOn.await();
                                context.timers().once("tick", Duration.ZERO, "tick");
                            }
                            note(tenant);
                            return message;
                        });
                var first = Thread.startVirtualThread(() -> tenant.run("alice", () -> actor.apply("first")));
                Waits.on(entered);
                var asked = actor.sendMessageReturn("nobody's ask");
                actor.sendMessage("nobody's");
                actor.execAsync(() -> note(tenant));
                tenant.where("bob", () -> actor.sendMessage("bob's"));
                var last = actor.sendMessageReturn("the last");
                goOn.countDown();
                Waits.on(asked);
                Waits.on(last);
                Waits.on(first);
                var found = List.of(next(), next(), next(), next(), next(), next(), next());
                assertThat(found.stream().filter(one -> !one.equals("alice")).toList())
                        .containsExactly("null", "null", "null", "bob", "null");
                assertThat(found).as("and the tick").startsWith("alice").hasSize(7);
                Waits.until("it is counted", () -> actor.counters().handled() == 7);
                assertThat(seen).isEmpty();
            }
        });
    }

    private String next() throws InterruptedException {
        return seen.poll(Patience.MILLIS, TimeUnit.MILLISECONDS);
    }

    @Promise("23.8")
    @EveryStrategy
    void timersHaveThatOfWhoSetThem(Strategy strategy) throws Exception {
        onEach(strategy, (tenant, scope) -> {
            var actor = scope.anonymous().newActor((ActorContext<String, Void> context, String message) -> {
                if (message.equals("set")) {
                    context.timers().once("tick", ofSeconds(0), "tick");
                } else {
                    note(tenant);
                }
            });
            tenant.where("alice", () -> actor.sendMessage("set"));
            assertSeen("alice");
            actor.sendMessage("set");
            assertSeen("null");
        });
    }

    @Promise("23.8")
    @EveryStrategy
    void bodiesHaveThatOfWhoMadeThem(Strategy strategy) throws Exception {
        onEach(strategy, (tenant, scope) -> {
            for (var maker : new String[]{"alice", null}) {
                var actor = tenant.where(maker,
                        () -> scope.anonymous().newReceivingActor((ReceivingContext<String> context) -> {
                            note(tenant);
                            context.receive();
                            note(tenant);
                        }));
                tenant.where("bob", () -> actor.sendMessage("x"));
                Waits.stopped(actor);
                assertSeen("" + maker, "" + maker);
                var once = tenant.where(maker,
                        () -> Stereotypes.with(scope.anonymous()).runOnce(() -> note(tenant)));
                Waits.stopped(once);
                assertSeen("" + maker);
            }
        });
    }

    /** The body of an actor that is asked, by one that has something bound when it waits. */
    @Promise("23.8")
    @EveryStrategy
    void aBodyThatStartsLateToo(Strategy strategy) throws Exception {
        onEach(strategy, (tenant, scope) -> {
            Actor<String, String> maker = scope.anonymous().newActorWithReturn((String message) -> {
                var found = new CompletableFuture<String>();
                var body = Stereotypes.with(scope.anonymous().strategy(CreationStrategy.fibers()))
                        .runOnce(() -> found.complete("" + tenant.value()));
                var ask = body.execFuture(() -> "never");
                tenant.where("mallory", () -> ask.handle((value, failure) -> "done").get());
                return found.get();
            });
            for (int i = 0; i < 20; i++) {
                assertThat(Waits.on(maker.sendMessageReturn("x"))).isEqualTo("null");
            }
        });
    }

    @Promise("23.8")
    @EveryStrategy
    void keptMessagesWorkersAndRestartedHandlersToo(Strategy strategy) throws Exception {
        onEach(strategy, (tenant, scope) -> {
            tenant.where("alice", () -> scope.sendOrKeep(ActorName.of("late"), "x", 10));
            scope.sendOrKeep(ActorName.of("late"), "x", 10);
            tenant.where("maker", () -> scope.named("late").newActor((String message) -> note(tenant)));
            assertSeen("alice", "null");

            var workers = Stereotypes.with(scope.anonymous())
                    .workersWithReturn((String message) -> "" + tenant.value());
            assertThat(Waits.on(tenant.where("alice", () -> workers.sendMessageReturn("x"))))
                    .isEqualTo("alice");
            assertThat(Waits.on(workers.sendMessageReturn("x"))).isEqualTo("null");

            var restarted = scope.anonymous().onFailure(FailurePolicy.restart(10, ofSeconds(60)))
                    .newActorFrom(() -> message -> {
                        note(tenant);
                        if (message.equals("fail")) {
                            throw new IllegalStateException("on purpose");
                        }
                    });
            tenant.where("alice", () -> restarted.sendMessage("fail"));
            restarted.sendMessage("x");
            assertSeen("alice", "null");
        });
    }

    @Promise("23.8")
    @Test
    void handlersThatMayBeAbandonedToo() throws Exception {
        for (var strategy : List.of(Strategy.FIBERS, Strategy.THREADS, Strategy.POOL)) {
            onEach(strategy, (tenant, scope) -> {
                var actor = scope.anonymous().abandonStuck(ofSeconds(60), ofSeconds(60))
                        .newActorWithReturn((String message) -> "" + tenant.value());
                assertThat(Waits.on(tenant.where("alice", () -> actor.sendMessageReturn("x"))))
                        .isEqualTo("alice");
                assertThat(Waits.on(actor.sendMessageReturn("x"))).isEqualTo("null");
            });
        }
    }

    /** Who watches is told by nobody. */
    @Promise("23.8")
    @EveryStrategy
    void noticesHaveNothing(Strategy strategy) throws Exception {
        onEach(strategy, (tenant, scope) -> {
            var mortal = scope.anonymous().newActor((String message) -> {
            });
            var entered = new CountDownLatch(1);
            var goOn = new CountDownLatch(1);
            var watcher = scope.anonymous().newActor((ActorContext<Object, Void> context, Object message) -> {
                if (message.equals("watch")) {
                    context.watch(mortal, how -> how);
                    entered.countDown();
                    goOn.await();
                } else if (message instanceof Stopped) {
                    note(tenant);
                }
            });
            var watching =
                    Thread.startVirtualThread(() -> tenant.run("alice", () -> watcher.sendMessage("watch")));
            Waits.on(entered);
            tenant.where("mallory", () -> {
                mortal.askExit();
                return mortal.waitForExit(Patience.LIMIT);
            });
            goOn.countDown();
            assertSeen("null");
            Waits.on(watching);
        });
    }

    @Promise("23.8")
    @EveryStrategy
    void codeWaitsForTheEndOfAHandlerThatHasWhatItsSenderHadNot(Strategy strategy) throws Exception {
        onEach(strategy, (tenant, scope) -> {
            var receives = new CountDownLatch(1);
            var actor =
                    scope.anonymous().newReceivingActor((ReceivingContext<String> context, String first) -> {
                        if (first.equals("first")) {
                            receives.countDown();
                            context.receive(message -> message.equals("second"));
                            note(tenant);
                        }
                    });
            var sender =
                    Thread.startVirtualThread(() -> tenant.run("alice", () -> actor.sendMessage("first")));
            Waits.on(receives);
            var one = actor.execFuture(() -> seen.add("one " + tenant.value()));
            actor.execAsync(() -> seen.add("two " + tenant.value()));
            Waits.on(tenant.where("bob", () -> actor.execFuture(() -> seen.add("bob's " + tenant.value()))));
            tenant.where("bob", () -> actor.sendMessage("second"));
            Waits.on(one);
            Waits.on(sender);
            assertSeen("bob's bob", "alice", "one null", "two null");
        });
    }

    @Promise("23.8")
    @EveryStrategy
    void inABodyItFails(Strategy strategy) throws Exception {
        onEach(strategy, (tenant, scope) -> {
            var actor = tenant.where("alice",
                    () -> scope.named("body").newReceivingActor((ReceivingContext<String> context) -> {
                        context.receive();
                    }));
            assertThat(Waits.on(tenant.where("bob", () -> actor.execFuture(tenant::value)))).isEqualTo("bob");
            assertThat(Waits.failure(actor.execFuture(tenant::value)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("body").hasMessageContaining("ScopedValue");
            actor.sendMessage("end");
            Waits.stopped(actor);
        });
    }

    @Promise({"23.8", "36.6"})
    @EveryStrategy
    void whatIsTooLateExpiresThereToo(Strategy strategy) throws Exception {
        onEach(strategy, (tenant, scope) -> {
            var actor = tenant.where("alice",
                    () -> scope.anonymous().newReceivingActor((ReceivingContext<String> context) -> {
                        context.receive("go"::equals);
                        context.receive("end"::equals);
                    }));
            actor.sendMessage("late", Duration.ofNanos(1));
            tenant.where("bob", () -> actor.sendMessage("go"));
            Waits.until("it has expired", () -> actor.counters().expired() == 1);
            tenant.where("bob", () -> actor.sendMessage("end"));
            Waits.stopped(actor);
        });
    }

    /** Then there is nowhere to go. It is the executor's own doing. */
    @Promise("23.8")
    @Test
    void anExecutorThatBindsSomethingItselfGetsItsActorsThrough() throws Exception {
        for (var tenant : BlockVariable.all()) {
            Executor binds = task -> Thread.ofVirtual().start(() -> tenant.run("executor", task));
            try (var scope = ActorSystem.configure("test").strategy(CreationStrategy.of(binds))
                    .carry(tenant.carrier()).open()) {
                var actor = scope.anonymous().newActorWithReturn((String message) -> "" + tenant.value());
                for (int i = 0; i < 10; i++) {
                    actor.sendMessage("x");
                }
                assertThat(Waits.on(actor.sendMessageReturn("x"))).isEqualTo("executor");
                assertThat(Waits.on(tenant.where("alice", () -> actor.sendMessageReturn("x"))))
                        .isEqualTo("alice");
            }
        }
    }

    /** Tasks run where they are submitted: moving one there again would not help. */
    @Promise("23.8")
    @Test
    void onAnExecutorThatRunsInPlaceToo() throws Exception {
        for (var tenant : BlockVariable.all()) {
            try (var scope = ActorSystem.configure("test").strategy(CreationStrategy.of(Runnable::run))
                    .carry(tenant.carrier()).open()) {
                Actor<CompletableFuture<String>, Void> back = scope.anonymous()
                        .newActor((CompletableFuture<String> found) -> found.complete("" + tenant.value()));
                var entered = new CountDownLatch(1);
                var goOn = new CountDownLatch(1);
                var busy = Thread.startVirtualThread(() -> tenant.run("alice", () -> back.execAsync(() -> {
                    entered.countDown();
                    goOn.await();
                })));
                Waits.on(entered);
                var found = new CompletableFuture<String>();
                back.sendMessage(found);
                goOn.countDown();
                assertThat(Waits.on(found)).isEqualTo("null");
                Waits.on(busy);
            }
        }
    }

    @Promise("23.8")
    @Test
    void whatIsNoScopedValueIsRefused() {
        assertThatThrownBy(() -> ContextCarrier.ofScopedValue("tenant"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("java.lang.String");
        var captured = new BlockVariable.Made().carrier().capture();
        assertThatThrownBy(captured::restore).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("carry()");
    }

    // ---- Not carried. ----

    /** Neither sees what the other has, wherever that is. */
    @Promise("23.10")
    @EveryStrategy
    void withAStackOfItsOwnAnActorShowsNothingAndSeesNothing(Strategy strategy) throws Exception {
        assumeTrue(strategy != Strategy.CALLER); // see below
        for (var tenant : BlockVariable.all()) {
            for (var place : List.<UnaryOperator<ActorBuilder>>of(builder -> builder,
                    builder -> builder.strategy(CreationStrategy.caller()), ActorBuilder::runByCallers,
                    builder -> builder.strategy(CreationStrategy.of(Runnable::run)))) {
                try (var scope = Scopes.on(strategy)) {
                    Actor<String, String> back =
                            place.apply(scope.anonymous())
                                    .newActorWithReturn((String message) -> "" + tenant.value());
                    Actor<String, String> front = scope.anonymous().ownStack().newActorWithReturn(
                            (String message) -> tenant.where("alice", () -> {
                                var seenBy = new CompletableFuture<String>();
                                back.execAsync(() -> seenBy.complete("" + tenant.value()));
                                return back.apply("x") + " " + seenBy.get();
                            }));
                    for (int i = 0; i < 20; i++) {
                        assertThat(Waits.on(front.sendMessageReturn("x"))).isEqualTo("null null");
                    }
                }
            }
            for (var place : List.<UnaryOperator<ActorBuilder>>of(builder -> builder,
                    builder -> builder.strategy(CreationStrategy.of(Runnable::run)))) {
                try (var scope = Scopes.on(strategy)) {
                    Actor<String, String> back = place.apply(scope.anonymous().ownStack())
                            .newActorWithReturn((String message) -> "" + tenant.value());
                    Actor<String, String> front = scope.anonymous().newActorWithReturn(
                            (String message) -> tenant.where("alice", () -> back.apply("x")));
                    for (int i = 0; i < 20; i++) {
                        assertThat(Waits.on(front.sendMessageReturn("x"))).isEqualTo("null");
                    }
                }
            }
        }
    }

    @Promise("23.10")
    @EveryStrategy
    void aScopeCanSayItOfAllItsActors(Strategy strategy) throws Exception {
        assumeTrue(strategy != Strategy.CALLER);
        for (var tenant : BlockVariable.all()) {
            try (var scope = ActorSystem.configure("test").strategy(strategy.create()).ownStack().open();
                    var inner = scope.child("inner").open()) {
                Actor<String, String> back =
                        inner.anonymous().newActorWithReturn((String message) -> "" + tenant.value());
                var workers = Stereotypes.with(inner.anonymous())
                        .workersWithReturn((String message) -> tenant.where("alice", () -> back.apply("x")));
                Actor<String, String> front = inner.anonymous().newActorWithReturn(
                        (String message) -> tenant.where("alice", () -> back.apply("x")));
                for (int i = 0; i < 20; i++) {
                    assertThat(Waits.on(front.sendMessageReturn("x"))).isEqualTo("null");
                    assertThat(Waits.on(workers.sendMessageReturn("x"))).isEqualTo("null");
                }
            }
        }
    }

    @Promise("23.10")
    @Test
    void whoIsToRunOnTheStackOfOthersCannotHaveOne() {
        try (var scope = ActorSystem.configure("test").ownStack().open()) {
            assertThatThrownBy(
                    () -> scope.named("a").strategy(CreationStrategy.caller()).newActor(message -> {
                    })).isInstanceOf(IllegalStateException.class).hasMessageContaining("'a'")
                    .hasMessageContaining("caller");
            assertThatThrownBy(() -> scope.named("a").runByCallers().newActor(message -> {
            })).isInstanceOf(IllegalStateException.class).hasMessageContaining("'a'")
                    .hasMessageContaining("runByCallers");
            assertThatThrownBy(() -> scope.anonymous()
                    .strategy(CreationStrategy.limited(CreationStrategy.caller(), 2)).newActor(message -> {
                    })).isInstanceOf(IllegalStateException.class).hasMessageContaining("caller");
        }
    }
}
