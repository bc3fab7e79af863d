package io.fibry.dump;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.FailurePolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ScopeBuilder;
import io.fibry.ScopeLimits;
import io.fibry.Stereotypes;
import io.fibry.dump.WaitChain.Ending;
import io.fibry.event.Undelivered.Cause;
import io.fibry.function.Body;
import io.fibry.net.HttpOptions;
import io.fibry.net.TcpOptions;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Garbage;
import io.fibry.testing.Promise;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.Schedule;
import java.lang.ref.WeakReference;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DumpTest {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch goesOn = new CountDownLatch(1);
    private final List<Thread> senders = new ArrayList<>();

    @AfterEach
    void end() throws InterruptedException {
        goesOn.countDown();
        for (var sender : senders) {
            Waits.on(sender);
        }
    }

    private static ScopeBuilder scope(Strategy strategy) {
        return ActorSystem.configure("dumped").strategy(strategy.create());
    }

    /** By a thread of its own, since on {@code caller()} it handles the message. */
    private <M> void send(Actor<M, ?> actor, M message) {
        senders.add(Thread.ofPlatform().start(() -> actor.sendMessage(message)));
    }

    private Integer stay(Integer message) throws InterruptedException {
        begun.countDown();
        goesOn.await();
        return message;
    }

    private static ActorDump actor(Dump dump, String name) {
        return dump.scope().shown().stream().filter(each -> each.name().equals(name)).findFirst()
                .orElseThrow();
    }

    private static ScopeDump inside(Dump dump, String name) {
        return dump.scope().scopes().stream().filter(each -> each.name().equals(name)).findFirst()
                .orElseThrow();
    }

    /** A dump goes from actor to actor, and many of them may have stopped when it comes to them. */
    @Promise("50.3")
    @Test
    void actorsThatStopWhileADumpIsTakenAreNotAddedUpAsSomethingElse() {
        try (var scope = ActorSystem.open("leaving")) {
            var actors = new ArrayList<Actor<Integer, Void>>();
            for (int i = 0; i < 20_000; i++) {
                actors.add(scope.anonymous().newActor((Integer message) -> {
                }));
            }
            senders.add(Thread.ofPlatform().start(() -> actors.forEach(Actor::sendPoisonPill)));
            Dump dump;
            do {
                dump = scope.dump();
                assertThat(dump.scope().handlers()).extracting(HandlerTotals::handler)
                        .allMatch(handler -> handler.startsWith(DumpTest.class.getName()));
            } while (dump.scope().actors() > 0);
        }
    }

    @Promise("50.1")
    @Test
    void theActorsOfAServerAreShownInItsScope() throws Exception {
        try (var scope = ActorSystem.open("served")) {
            var server =
                    Stereotypes.with(scope.anonymous()).tcpAcceptorSilent(TcpOptions.localPort(0), socket -> {
                        begun.countDown();
                        socket.getInputStream().read();
                    }, null);
            var name = "tcp-" + server.port();
            try (var client = new Socket("127.0.0.1", server.port())) {
                Waits.on(begun);
                assertThat(inside(scope.dump(), name).shown())
                        .anyMatch(
                                each -> each.name().startsWith(name + "/127.0.0.1:" + client.getLocalPort()));
                server.close();
            }
            Waits.until("the server is gone", () -> scope.dump().scope().scopes().isEmpty());
        }
    }

    @Promise("50.3")
    @Test
    void aServerWithoutAScopeIsShownInTheRootScope() {
        var server = Stereotypes.fibers().embeddedHttpServer(HttpOptions.localPort(0), call -> "hello");
        try (server) {
            assertThat(inside(ActorSystem.root().dump(), "http-" + server.port()).state())
                    .isEqualTo(ScopeDump.State.OPEN);
        }
        Waits.until("the server is gone", () -> ActorSystem.root().dump().scope().scopes().stream()
                .noneMatch(each -> each.name().equals("http-" + server.port())));
    }

    @Promise("50.1")
    @EveryStrategy
    void anActorThatWorksIsShownWithItsCode(Strategy strategy) throws InterruptedException {
        try (var scope = scope(strategy).open()) {
            var works = scope.named("works").newActor((Integer message) -> {
                stay(message);
            });
            var rests = scope.named("rests").newActor((Integer message) -> {
            });
            send(works, 1);
            Waits.on(begun);
            Waits.soon().until(() -> isParked(scope));
            var dump = scope.dump();
            assertThat(dump.scope().name()).isEqualTo("dumped");
            assertThat(dump.scope().state()).isEqualTo(ScopeDump.State.OPEN);
            assertThat(dump.scope().listsAll()).isTrue();
            assertThat(List.of(dump.scope().actors(), dump.scope().idle(), dump.scope().busy()))
                    .isEqualTo(List.of(2L, 1L, 1L));
            var busy = actor(dump, "works");
            assertThat(busy.state()).isEqualTo(ActorState.BUSY);
            assertThat(busy.work()).singleElement().satisfies(work -> {
                assertThat(work.stack()).anyMatch(frame -> frame.getMethodName().equals("stay"));
                assertThat(work.stack())
                        .noneMatch(frame -> frame.getClassName().startsWith("io.fibry.internal"));
                assertThat(work.threadState()).contains(Thread.State.WAITING);
            });
            assertThat(actor(dump, "rests").state()).isEqualTo(ActorState.IDLE);
            assertThat(actor(dump, "rests").work()).isEmpty();
            assertThat(dump.text()).contains("'works' (" + DumpTest.class.getName() + "$$Lambda) busy")
                    .contains("at io.fibry.dump.DumpTest.stay(").contains("'rests'");
            assertThat(dump.toString()).startsWith("Dump of scope 'dumped' at ").endsWith(
                    ": 2 actors, 0 messages waiting, 0 chains of waiting actors");
            goesOn.countDown();
            Waits.soon().until(() -> works.counters().handled() == 1);
            assertThat(rests.counters().handled()).isZero();
        }
    }

    /** The handler of an ask may run on the stack of the asker. The message at work there waits no more. */
    @Promise("50.1")
    @EveryStrategy
    void theMessageOfAnAskerThatWaitsDoesNotWait(Strategy strategy) throws InterruptedException {
        try (var scope = scope(strategy).open()) {
            var bank = scope.named("bank").newActorWithReturn((Integer message) -> stay(message));
            var till = scope.named("till").newActorWithReturn((Integer message) -> bank.apply(message));
            var door = scope.named("door").newActor((Integer message) -> {
                till.apply(message);
            });
            send(door, 1);
            Waits.on(begun);
            var dump = scope.dump();
            assertThat(List.of(actor(dump, "door").waiting(), actor(dump, "till").waiting(),
                    actor(dump, "bank").waiting())).isEqualTo(List.of(0L, 0L, 0L));
            assertThat(List.of(door.mailboxSize(), till.mailboxSize(), bank.mailboxSize()))
                    .isEqualTo(List.of(0, 0, 0));
            goesOn.countDown();
        }
    }

    private static boolean isParked(ActorScope scope) {
        return actor(scope.dump(), "works").work().getFirst().threadState()
                .equals(Optional.of(Thread.State.WAITING));
    }

    @Promise("50.3")
    @EveryStrategy
    void twoLooksTellHowLongSomethingHasLastedAtLeast(Strategy strategy) throws InterruptedException {
        try (var scope = scope(strategy).open()) {
            var works = scope.named("works").newActor((Integer message) -> {
                stay(message);
            });
            send(works, 1);
            Waits.on(begun);
            send(works, 2);
            Waits.soon().until(() -> works.mailboxSize() == 1);
            var first = actor(scope.dump(), "works");
            assertThat(first.firstWaits()).isEmpty();
            assertThat(first.work().getFirst().lasts()).isEmpty();
            var twice = scope.dump(DumpOptions.defaults().over(Duration.ofMillis(30)));
            var later = actor(twice, "works");
            assertThat(later.waiting()).isEqualTo(1);
            assertThat(later.firstWaits().orElseThrow()).isGreaterThanOrEqualTo(Duration.ofMillis(30));
            assertThat(later.work().getFirst().lasts().orElseThrow())
                    .isGreaterThanOrEqualTo(Duration.ofMillis(30));
            assertThat(twice.took()).isGreaterThanOrEqualTo(Duration.ofMillis(30));
            assertThat(twice.text()).contains("1 waiting, the first for at least ", "works for at least ");
            goesOn.countDown();
        }
    }

    @Promise("50.3")
    @EveryStrategy
    void anotherMessageHasNotLasted(Strategy strategy) throws Exception {
        try (var scope = scope(strategy).open()) {
            var steps = List.of(new CountDownLatch(1), new CountDownLatch(1));
            var begins = List.of(new CountDownLatch(1), new CountDownLatch(1));
            var works = scope.named("works").newActor((Integer step) -> {
                if (step < 2) {
                    begins.get(step).countDown();
                    steps.get(step).await();
                }
            });
            send(works, 0);
            Waits.on(begins.getFirst());
            send(works, 1);
            Waits.soon().until(() -> works.mailboxSize() == 1);
            assertThat(actor(scope.dump(), "works").work()).hasSize(1);
            steps.getFirst().countDown();
            Waits.on(begins.getLast());
            send(works, 2);
            Waits.soon().until(() -> works.mailboxSize() == 1);
            var later = actor(scope.dump(), "works");
            assertThat(later.work().getFirst().lasts()).as("another message is handled").isEmpty();
            assertThat(later.firstWaits()).as("another message waits").isEmpty();
            steps.getLast().countDown();
        }
    }

    @Promise("50.3")
    @EveryStrategy
    void actorsThatWaitForOneAnotherAreAChain(Strategy strategy) throws Exception {
        try (var scope = scope(strategy).open()) {
            var last = scope.named("last").newActorWithReturn(this::stay);
            var middle = scope.named("middle")
                    .newActorWithReturn((Integer message) -> last.sendMessageReturnWait(message));
            var first = scope.named("first").newActor((Integer message) -> {
                middle.sendMessageReturnWait(message);
            });
            send(first, 1);
            Waits.on(begun);
            var chain = awaitChain(scope);
            assertThat(chain.actors()).containsExactly("first", "middle", "last");
            assertThat(chain.ending()).isEqualTo(Ending.BLOCKED);
            assertThat(chain.isOneStepFromCycle()).isTrue();
            assertThat(chain.others()).isZero();
            assertThat(chain.place()).startsWith(DumpTest.class.getName() + ".stay(DumpTest.java:");
            assertThat(actor(scope.dump(), "first").waitsFor()).containsExactly("middle");
            assertThat(scope.dump().text())
                    .contains("'first' -> 'middle' -> 'last', which waits for something that is no actor")
                    .contains("one step from a cycle");
            goesOn.countDown();
        }
    }

    /** The handler parks a moment after it has begun. */
    private static WaitChain awaitChain(ActorScope scope) {
        Waits.soon()
                .until(() -> scope.dump().waits().stream().anyMatch(each -> each.ending() == Ending.BLOCKED));
        return scope.dump().waits().getFirst();
    }

    @Promise("50.3")
    @Test
    void manyThatWaitForOneAreSummedUp() throws Exception {
        try (var scope = ActorSystem.open("dumped")) {
            var last = scope.named("last").newActorWithReturn(this::stay);
            for (int i = 0; i < 10; i++) {
                scope.named("front-" + i).newActor((Integer message) -> {
                    last.sendMessageReturnWait(message);
                }).sendMessage(i);
            }
            Waits.on(begun);
            Waits.soon().until(() -> scope.dump().waits().stream().anyMatch(each -> each.others() == 7));
            var dump = scope.dump();
            assertThat(dump.waits()).hasSize(3)
                    .allMatch(each -> each.actors().size() == 2 && !each.isOneStepFromCycle());
            assertThat(dump.text()).contains("7 more wait for it");
            goesOn.countDown();
        }
    }

    @Promise("50.3")
    @EveryStrategy
    void actorsBeyondTheLimitAreAddedUp(Strategy strategy) throws InterruptedException {
        try (var scope = scope(strategy).open()) {
            var kept = new ArrayList<Actor<String, Void>>(); // an idle actor that nothing refers to may be collected
            for (int i = 0; i < 50; i++) {
                kept.add(scope.anonymous().newActor((String message) -> {
                }));
            }
            kept.forEach(each -> each.sendMessage("x"));
            var works = scope.named("works").newActor((Integer message) -> {
                stay(message);
            });
            send(works, 1);
            Waits.on(begun);
            for (int i = 0; i < 3; i++) {
                send(works, i);
            }
            Waits.soon().until(() -> works.mailboxSize() == 3);
            Waits.soon().until(() -> scope.dump().scope().counters().handled() == 50
                    && scope.dump().scope().busy() == 1);
            var dump = scope.dump(DumpOptions.defaults().withActors(2).withFrames(0));
            assertThat(dump.scope().actors()).isEqualTo(51);
            assertThat(dump.scope().waiting()).isEqualTo(3);
            assertThat(dump.scope().shown()).singleElement().satisfies(shown -> {
                assertThat(shown.name()).isEqualTo("works");
                assertThat(shown.work().getFirst().stack()).isEmpty();
            });
            var totals = dump.scope().handlers();
            assertThat(totals.stream().mapToLong(HandlerTotals::actors).sum()).isEqualTo(51);
            assertThat(totals.stream().mapToLong(HandlerTotals::handled).sum()).isEqualTo(50);
            assertThat(totals.stream().mapToLong(HandlerTotals::most).max()).hasValue(3);
            assertThat(dump.text()).contains("the actors with most to do:");
            assertThat(scope.dump(DumpOptions.defaults().withActors(0)).scope().shown()).isEmpty();
            assertThat(kept).hasSize(50);
            goesOn.countDown();
        }
    }

    @Promise("50.3")
    @Test
    void allScopesAreInTheDumpOfTheSystem() {
        try (var outer = ActorSystem.open("outer-of-dump"); var inner = outer.child("inner-of-dump").open()) {
            inner.named("deep").newActor((String message) -> {
            });
            var dump = ActorSystem.root().dump();
            assertThat(dump.scope().name()).isEqualTo("root");
            var seen = inside(dump, "outer-of-dump");
            assertThat(seen.allActors()).isEqualTo(1);
            assertThat(seen.scopes()).singleElement().satisfies(
                    deep -> assertThat(deep.shown()).singleElement()
                            .satisfies(one -> assertThat(one.name()).isEqualTo("deep")));
            assertThat(dump.processors()).isEqualTo(Runtime.getRuntime().availableProcessors());
        }
        assertThat(ActorSystem.root().dump().scope().scopes())
                .noneMatch(each -> each.name().equals("outer-of-dump"));
    }

    @Promise("50.3")
    @Test
    void theRootScopeListsItsNamedActors() {
        var named = ActorSystem.named("named-of-dump").newActor((String message) -> {
        });
        var anonymous = ActorSystem.anonymous().newActor((String message) -> {
        });
        try {
            var root = ActorSystem.root().dump().scope();
            assertThat(root.listsAll()).isFalse();
            assertThat(root.shown()).anyMatch(each -> each.name().equals("named-of-dump"));
            assertThat(root.shown()).noneMatch(each -> each.name().equals(anonymous.name()));
            assertThat(ActorSystem.root().dump().text())
                    .contains("The root scope lists only actors with names.");
        } finally {
            named.stop(Duration.ofSeconds(10));
            anonymous.stop(Duration.ofSeconds(10));
        }
    }

    @Promise("50.3")
    @Test
    void aScopeThatIsForgottenIsCollected() {
        Garbage.is(new WeakReference<>(ActorSystem.open("forgotten")));
        assertThat(ActorSystem.root().dump().scope().scopes())
                .noneMatch(each -> each.name().equals("forgotten"));
    }

    @Promise("50.3")
    @Test
    void aClosedScopeIsSeenUntilItsActorsHaveEnded() throws InterruptedException {
        var scope = ActorSystem.open("dumped");
        var hangs = scope.named("hangs").newActor((Integer message) -> {
            begun.countDown();
            awaitUninterrupted();
        });
        send(hangs, 1);
        Waits.on(begun);
        scope.stop(Duration.ZERO);
        var seen = inside(ActorSystem.root().dump(), "dumped");
        assertThat(seen.state()).isEqualTo(ScopeDump.State.CLOSED);
        assertThat(seen.shown()).singleElement().satisfies(one -> {
            assertThat(one.state()).isEqualTo(ActorState.STOPPING);
            assertThat(one.work()).hasSize(1);
        });
        goesOn.countDown();
        Waits.stopped(hangs);
        Waits.soon().until(() -> ActorSystem.root().dump().scope().scopes().stream()
                .noneMatch(each -> each.name().equals("dumped")));
    }

    /** Its last actor may have exited, and be about to take itself out of the lists. */
    @Promise("50.3")
    @Test
    void aScopeIsNotSeenOnceItsCloseHasReturned() {
        for (int i = 0; i < 2_000; i++) {
            try (var scope = ActorSystem.open("dumped")) {
                scope.named("one").newActor((Integer message) -> {
                }).closeOnExit(() -> {
                });
                scope.anonymous().newActor((Integer message) -> {
                }).sendMessage(i);
            }
            assertThat(ActorSystem.root().dump().scope().scopes())
                    .noneMatch(each -> each.name().equals("dumped"));
        }
    }

    private void awaitUninterrupted() {
        while (true) {
            try {
                goesOn.await();
                return;
            } catch (InterruptedException ignored) {
                // it hangs as long as the test wants
            }
        }
    }

    @Promise("50.1")
    @Test
    void limitsAndWhatTheyHoldBackAreShown() throws Exception {
        var limits = ScopeLimits.none().waiting(2).asks(5).running(1)
                .overflow(OverflowPolicy.block(Duration.ofHours(1)));
        try (var scope = ActorSystem.configure("dumped").limits(limits).open()) {
            var works = scope.named("works").newActor((Integer message) -> {
                stay(message);
            });
            var other = scope.named("other").newActor((Integer message) -> {
            });
            works.sendMessage(1);
            Waits.on(begun);
            other.sendMessage(2);
            works.sendMessage(3);
            send(works, 4);
            Waits.soon().until(() -> use(scope, "WAITING_MESSAGES").heldBack() == 1);
            assertThat(use(scope, "WAITING_MESSAGES"))
                    .isEqualTo(new LimitUse("WAITING_MESSAGES", 2, 2, 1));
            assertThat(use(scope, "WAITING_MESSAGES").isFull()).isTrue();
            assertThat(use(scope, "OPEN_ASKS")).isEqualTo(new LimitUse("OPEN_ASKS", 0, 5, 0));
            assertThat(use(scope, "RUNNING_ACTORS")).isEqualTo(new LimitUse("RUNNING_ACTORS", 1, 1, 1));
            assertThat(scope.dump().text()).contains("limit of waiting messages: 2 of 2 taken, 1 held back");
            goesOn.countDown();
        }
    }

    @Promise("50.1")
    @Test
    void aLimitIsShownInTheScopeThatHasIt() {
        try (var scope = ActorSystem.configure("dumped").limits(ScopeLimits.none().waiting(2)).open();
                var inner = scope.child("inner").open();
                var own = scope.child("own").limits(ScopeLimits.none().asks(3)).open()) {
            assertThat(scope.dump().scope().limits()).extracting(LimitUse::what)
                    .containsExactly("WAITING_MESSAGES");
            assertThat(inner.dump().scope().limits()).isEmpty();
            assertThat(own.dump().scope().limits()).containsExactly(new LimitUse("OPEN_ASKS", 0, 3, 0));
        }
    }

    private static LimitUse use(ActorScope scope, String what) {
        return scope.dump().scope().limits().stream().filter(each -> each.what().equals(what)).findFirst()
                .orElseThrow();
    }

    @Promise("50.1")
    @EveryStrategy
    void whatAnActorHasIsShown(Strategy strategy) throws Exception {
        try (var scope = scope(strategy).onFailure(FailurePolicy.restart()).open()) {
            var fails = new AtomicBoolean(true);
            var parent =
                    scope.named("parent").newActor((ActorContext<Integer, Void> context, Integer message) -> {
                        if (fails.getAndSet(false)) {
                            throw new IllegalStateException("as the test wants it");
                        }
                        context.child("child").newActor((String text) -> {
                        });
                        context.timers().once("later", Duration.ofHours(1), 3);
                    });
            parent.sendMessage(1);
            parent.sendMessage(2);
            Waits.soon().until(
                    () -> scope.dump().scope().shown().stream().anyMatch(each -> each.name().equals("child"))
                            && actor(scope.dump(), "parent").state() == ActorState.IDLE);
            var dump = scope.dump();
            var shown = actor(dump, "parent");
            assertThat(List.of(shown.children(), shown.timers(), shown.restarts()))
                    .isEqualTo(List.of(1, 1, 1));
            assertThat(actor(dump, "child").parent()).contains("parent");
            assertThat(dump.text()).contains("1 child, 1 timer, 1 restart")
                    .contains("child of 'parent'");
        }
    }

    @Promise("50.1")
    @Test
    void whatAScopeHasIsShown() {
        try (var scope = ActorSystem.open("dumped")) {
            scope.schedule(Schedule.once(Duration.ofHours(1)), () -> {
            });
            scope.sendOrKeep(ActorName.of("nobody"), "kept", 3);
            scope.sendOrKeep(ActorName.of("nobody"), "kept", 3);
            var stopped = scope.anonymous().newActor((String message) -> {
            });
            stopped.stop(Duration.ofSeconds(10));
            stopped.sendMessage("too late");
            var dump = scope.dump().scope();
            assertThat(dump.jobs()).isEqualTo(1);
            assertThat(dump.kept()).isEqualTo(2);
            assertThat(dump.lost()).containsEntry(Cause.STOPPED, 1L);
            assertThat(scope.dump().text()).contains("  1 scheduled job\n",
                    "  2 messages kept for names that no actor has\n", "lost: 1 stopped");
        }
    }

    @Promise("50.10")
    @Test
    void aProgramAddsSections() {
        try (var scope = ActorSystem.open("dumped")) {
            var taken = new AtomicInteger();
            var pool = scope
                    .addToDumps(() -> new DumpSection("Pool of 8 connections", List.of("database", "free"),
                            List.of(List.of("orders", "" + (8 - taken.get())), List.of("p", "0"))));
            scope.addToDumps(() -> {
                throw new IllegalStateException("no pool");
            });
            scope.addToDumps(() -> {
                throw new IllegalStateException() {
                    @Override
                    public String toString() {
                        throw this;
                    }
                };
            });
            assertThat(scope.dump().text()).contains("""
                      Pool of 8 connections
                        database  free
                        orders    8
                        p         0
                      a section cannot be shown: java.lang.IllegalStateException: no pool
                      a section cannot be shown: io.fibry.dump.DumpTest$\
                    """);
            taken.set(3);
            assertThat(
                    ActorSystem.root().dump().scope().scopes().stream()
                            .filter(each -> each.name().equals("dumped"))
                            .flatMap(each -> each.sections().stream()).findFirst().orElseThrow().rows())
                    .containsExactly(List.of("orders", "5"), List.of("p", "0"));
            assertThat(pool.cancel()).isTrue();
            assertThat(pool.cancel()).isFalse();
            assertThat(scope.dump().scope().sections()).hasSize(2);
            assertThatThrownBy(() -> new DumpSection("Pool", List.of("a", "b"), List.of(List.of("1"))))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("'Pool'");
        }
    }

    @Promise("50.1")
    @Test
    void theActorsThatWorkForOthersAreAScopeInside() throws InterruptedException {
        try (var scope = ActorSystem.open("dumped")) {
            var workers = Stereotypes.with(scope.anonymous()).workersWithReturn((Integer n) -> n);
            assertThat(workers.apply(3)).isEqualTo(3);
            assertThat(scope.dump().scope().scopes()).isNotEmpty();
        }
    }

    @Promise("50.7")
    @Test
    void dumpsCanBeTakenWhileActorsComeAndGo() throws Exception {
        var over = new AtomicBoolean();
        var dumper = Thread.ofPlatform().start(() -> {
            while (!over.get()) {
                var dump = ActorSystem.root().dump();
                if (dump.text().isEmpty() || dump.json().isEmpty()) {
                    throw new AssertionError();
                }
            }
        });
        try {
            for (int round = 0; round < 100; round++) {
                try (var scope = ActorSystem.open("dumped-" + round)) {
                    var next = scope.anonymous().newActorWithReturn((Integer n) -> n + 1);
                    for (int i = 0; i < 20; i++) {
                        var behind = next;
                        next = scope.named("a" + i)
                                .newActorWithReturn((Integer n) -> behind.sendMessageReturnWait(n));
                    }
                    assertThat(Waits.on(next.sendMessageReturn(1))).isEqualTo(2);
                }
            }
        } finally {
            over.set(true);
            Waits.on(dumper);
        }
    }

    @Promise("50.7")
    @Test
    void aDumpThatWaitsForItsSecondLookHoldsUpNoOther() throws InterruptedException {
        try (var scope = ActorSystem.open("dumped")) {
            var waits = Thread.ofPlatform()
                    .start(() -> scope.dump(DumpOptions.defaults().over(Duration.ofHours(1))));
            Waits.until("it waits for its second look", () -> waits.getState() == Thread.State.TIMED_WAITING);
            assertThat(scope.dump().took()).isLessThan(Duration.ofMinutes(1));
            waits.interrupt();
            Waits.on(waits);
        }
    }

    @Promise("50.7")
    @Test
    void anInterruptEndsTheTimeBetweenTwoLooks() {
        try (var scope = ActorSystem.open("dumped")) {
            Thread.currentThread().interrupt();
            var dump = scope.dump(DumpOptions.defaults().over(Duration.ofHours(1)));
            assertThat(Thread.interrupted()).isTrue();
            assertThat(dump.took()).isLessThan(Duration.ofMinutes(1));
        }
    }

    @Test
    void wrongOptionsAreRefused() {
        var options = DumpOptions.defaults();
        assertThatThrownBy(() -> options.withActors(-1)).hasMessage("actors must not be negative: -1");
        assertThatThrownBy(() -> options.withFrames(-2)).hasMessage("frames must not be negative: -2");
        assertThatThrownBy(() -> options.over(Duration.ofMillis(-1)))
                .hasMessage("over must not be negative: PT-0.001S");
        assertThatThrownBy(() -> new WaitChain(List.of("alone"), 0, Ending.RUNS, ""))
                .hasMessage("a chain has at least two actors: [alone]");
    }

    /** In a scope with very many actors the ones that have most to do are shown long after they were looked at. */
    @Promise("50.1")
    @Test
    void whatWasBusyIsShownAsBusy() throws InterruptedException {
        try (var scope = ActorSystem.open("outer"); var inner = scope.child("inner").open()) {
            var actor = scope.named("busy").newActorWithReturn(this::stay);
            actor.sendMessage(1);
            Waits.on(begun);
            inner.addToDumps(() -> { // comes after the look at the actor, and before it is shown
                goesOn.countDown();
                Waits.until("the actor is idle", () -> actor.state() == ActorState.IDLE);
                return new DumpSection("none", List.of(), List.of());
            });
            assertThat(actor(scope.dump(), "busy").state()).isEqualTo(ActorState.BUSY);
        }
    }

    /** What a library puts around a handler of the user is not the handler. */
    @Promise("50.1")
    @Test
    void handlersOfStereotypesAreShownAsTheUsersCode() throws Exception {
        var mine = DumpTest.class.getName() + "$$Lambda";
        try (var scope = ActorSystem.open("named")) {
            var stereotypes = Stereotypes.with(scope.anonymous());
            Body waits = () -> {
                begun.countDown();
                goesOn.await();
            };
            try (var workers = stereotypes.workers((String message) -> waits.run())) {
                workers.sendMessage("work");
                Waits.on(begun);
                stereotypes.runOnce(waits);
                stereotypes.runOnceSilent(waits);
                stereotypes.sink(null);
                var handlers = handlers(scope.dump().scope());
                goesOn.countDown();
                assertThat(handlers).filteredOn(name -> !name.startsWith("io.fibry.internal."))
                        .filteredOn(name -> name.endsWith("$$Lambda")).hasSizeGreaterThan(1)
                        .containsOnly(mine);
                assertThat(handlers).doesNotContain("io.fibry.internal.scope.StereotypeActors$$Lambda",
                        "io.fibry.internal.stereotype.RunOnce$$Lambda");
            } finally {
                goesOn.countDown();
            }
        }
    }

    private static List<String> handlers(ScopeDump scope) {
        var all = new ArrayList<>(scope.handlers().stream().map(HandlerTotals::handler).toList());
        scope.scopes().forEach(inner -> all.addAll(handlers(inner)));
        return all;
    }
}
