package io.fibry.names;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.AskCycleException;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.event.Started;
import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Child;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class NamesTest {
    private static final int PAIRS = 2_000;

    private final Recorder recorder = new Recorder();

    private static Actor<Integer, Integer> doubling(ActorBuilder builder) {
        return builder.newActorWithReturn((Integer n) -> 2 * n);
    }

    @Promise("28.1")
    @EveryStrategy
    void twoThreadsThatFindOrMakeGetOneActor(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var together = new CyclicBarrier(2);
            var got = new CopyOnWriteArrayList<Set<Actor<Integer, Integer>>>();
            for (int n = 0; n < PAIRS; n++) {
                got.add(ConcurrentHashMap.newKeySet());
            }
            Senders.run(2, sender -> {
                for (int n = 0; n < PAIRS; n++) {
                    if (n % 50 == 0) {
                        together.await(); // a pair that is far apart proves nothing
                    }
                    var actor = scope.findOrMake(ActorName.of("pair-" + n), NamesTest::doubling);
                    assertThat(actor.apply(n)).isEqualTo(2 * n);
                    got.get(n).add(actor);
                }
            });
            assertThat(got).allSatisfy(pair -> assertThat(pair).hasSize(1));
            assertThat(recorder.of(Started.class)).hasSize(PAIRS);
            assertThat(scope.names()).hasSize(PAIRS);
        }
    }

    @Promise("28.1")
    @EveryStrategy
    void theMakerIsNotCalledWhereThereIsOne(Strategy strategy) {
        try (var scope = Scopes.on(strategy)) {
            var calls = new AtomicInteger();
            var first = scope.<Integer, Integer>findOrMake(ActorName.of("one"), builder -> {
                calls.incrementAndGet();
                return doubling(builder);
            });
            assertThat(scope.<Integer, Integer>findOrMake(ActorName.of("one"), builder -> {
                calls.incrementAndGet();
                return doubling(builder);
            })).isSameAs(first);
            assertThat(calls).hasValue(1);
        }
    }

    @Promise("28.1")
    @EveryStrategy
    void whatWasKeptForTheNameIsHandledFirst(Strategy strategy) {
        try (var scope = Scopes.on(strategy)) {
            var got = new CopyOnWriteArrayList<Integer>();
            scope.sendOrKeep(ActorName.of("late"), 1, 2);
            scope.sendOrKeep(ActorName.of("late"), 2, 2);
            assertThat(scope.names()).isEmpty();
            var late = scope.<Integer, Void>findOrMake(ActorName.of("late"),
                    builder -> builder.newActor((Integer n) -> {
                        got.add(n);
                    }));
            late.sendMessage(3);
            late.close();
            assertThat(got).containsExactly(1, 2, 3);
        }
    }

    @Promise("28.1")
    @Test
    void workersAndStatesCanBeMadeSoToo() {
        try (var scope = ActorSystem.open("forms")) {
            var workers = scope.<Integer, Integer>findOrMake(ActorName.of("workers"),
                    builder -> Stereotypes.with(builder).workersWithReturn((Integer n) -> n + 1));
            assertThat(workers.apply(1)).isEqualTo(2);
            assertThat(scope.<Integer, Integer>findOrMake(ActorName.of("workers"), NamesTest::doubling))
                    .isSameAs(workers);
        }
    }

    @Promise("28.1")
    @Test
    void aMakerThatReturnsAnotherActorIsRefused() {
        try (var scope = ActorSystem.open("wrong")) {
            var other = doubling(scope.anonymous());
            assertThatThrownBy(
                    () -> scope.<Integer, Integer>findOrMake(ActorName.of("mine"), builder -> other))
                    .isInstanceOf(IllegalStateException.class).hasMessageContaining("'mine'")
                    .hasMessageContaining("with the builder that it is given");
            assertThatThrownBy(() -> scope.<Integer, Integer>findOrMake(ActorName.of("mine"), builder -> {
                throw new UnsupportedOperationException("the maker's own");
            })).hasMessage("the maker's own");
        }
        var closed = ActorSystem.open("closed");
        closed.close();
        assertThatThrownBy(() -> closed.findOrMake(ActorName.of("mine"), NamesTest::doubling))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("'closed' is closed");
    }

    @Promise("28.1")
    @EveryStrategy
    void anActorThatIsStoppingIsWaitedFor(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var hook = new CountDownLatch(1);
            var go = new CountDownLatch(1);
            var old = scope.named("heir").onExit(() -> {
                hook.countDown();
                go.await();
            }).newActorWithReturn((Integer n) -> -n);
            var stopper = Thread.ofPlatform().daemon().start(old::sendPoisonPill);
            Waits.on(hook);
            assertThat(scope.<Integer, Integer>find(ActorName.of("heir"))).containsSame(old);
            var next = new CompletableFuture<Actor<Integer, Integer>>();
            var finder = Thread.startVirtualThread(() -> next.complete(
                    scope.findOrMake(ActorName.of("heir"), NamesTest::doubling)));
            Waits.until("it waits", () -> finder.getState() == Thread.State.WAITING);
            go.countDown();
            assertThat(Waits.on(next)).isNotSameAs(old);
            assertThat(Waits.on(next).apply(4)).isEqualTo(8);
            Waits.on(stopper);
        }
    }

    @Promise("28.1")
    @EveryStrategy
    void whoHasSentAPillFindsItsSuccessor(Strategy strategy) {
        try (var scope = Scopes.on(strategy)) {
            for (int n = 0; n < 200; n++) {
                var actor = scope.<Integer, Integer>findOrMake(ActorName.of("again"), NamesTest::doubling);
                assertThat(actor.apply(n)).isEqualTo(2 * n);
                if (n % 2 == 0) {
                    actor.sendPoisonPill();
                } else {
                    actor.askExit();
                }
            }
        }
    }

    @Promise("28.1")
    @EveryStrategy
    void insideTheActorThatIsStoppingItIsRefused(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var refusal = new CompletableFuture<Throwable>();
            scope.named("self").onExit(() -> {
                try {
                    scope.findOrMake(ActorName.of("self"), NamesTest::doubling);
                    refusal.complete(new AssertionError("it was not refused"));
                } catch (IllegalStateException e) {
                    refusal.complete(e);
                }
            }).newActorWithReturn((Integer n) -> n).close();
            assertThat(Waits.on(refusal)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("'self' is stopping");
        }
    }

    @Promise("28.1")
    @EveryStrategy
    void aCircleOfWaitsIsFound(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var thrown = new CompletableFuture<Throwable>();
            var asked = new CountDownLatch(1);
            Actor<String, String> seeker = scope.named("seeker").newActorWithReturn((String message) -> {
                try {
                    scope.<String, String>findOrMake(ActorName.of("dying"),
                            builder -> builder.newActorWithReturn((String m) -> m));
                    return "made";
                } catch (AskCycleException e) {
                    thrown.complete(e);
                    return "refused";
                }
            });
            Actor<String, String> dying = scope.named("dying").newActorWithReturn(
                    (ActorContext<String, String> context, String message) -> {
                        context.askExit();
                        asked.countDown();
                        try {
                            return seeker.apply("find me");
                        } catch (Throwable e) {
                            thrown.complete(e.getCause() == null ? e : e.getCause());
                            throw e;
                        }
                    });
            dying.sendMessageReturn("go");
            assertThat(Waits.on(thrown)).hasMessageContaining("'seeker'").hasMessageContaining("'dying'")
                    .isInstanceOf(AskCycleException.class);
        }
    }

    @Promise("28.3")
    @EveryStrategy
    void theNamesOfAScopeAreListed(Strategy strategy) {
        try (var scope = Scopes.on(strategy); var inner = scope.child("inner").open()) {
            doubling(inner.named("of another"));
            doubling(scope.anonymous());
            doubling(scope.named("b"));
            var a = doubling(scope.named("a"));
            var names = scope.names();
            assertThat(names).containsExactly("a", "b");
            a.close();
            assertThat(scope.names()).containsExactly("b");
            assertThat(names).as("what was listed before").containsExactly("a", "b");
        }
        var rooted = doubling(ActorSystem.named("p28-root"));
        assertThat(ActorSystem.root().names()).contains("p28-root");
        assertThat(ActorSystem.root().<Integer, Integer>findOrMake(ActorName.of("p28-root"),
                NamesTest::doubling))
                .isSameAs(rooted);
        rooted.close();
        assertThat(ActorSystem.root().names()).doesNotContain("p28-root");
    }

    @Promise("28.3")
    @Test
    void ABlankNameIsRefused() {
        try (var scope = ActorSystem.open("blank")) {
            for (var blank : List.of("", " ", "\t\n")) {
                assertThatThrownBy(() -> scope.named(blank)).isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("must not be blank").hasMessageContaining("anonymous()");
                assertThatThrownBy(() -> ActorSystem.named(blank))
                        .isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> scope.findOrMake(ActorName.of(blank), NamesTest::doubling))
                        .isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> scope.sendOrKeep(ActorName.of(blank), 1, 1))
                        .isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> scope.child(blank)).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> ActorSystem.open(blank))
                        .isInstanceOf(IllegalArgumentException.class);
            }
            scope.named("parent").newActorWithReturn((ActorContext<Integer, Integer> context, Integer n) -> {
                assertThatThrownBy(() -> context.child("")).isInstanceOf(IllegalArgumentException.class);
                return n;
            }).apply(1);
        }
    }

    private static final class Named implements Handler<Integer> {
        @Override
        public void handle(Integer message) {
            throw new AssertionError("it cannot get here");
        }
    }

    private static final class NamedReplying implements ReplyHandler<Integer, Integer> {
        @Override
        public Integer handle(Integer message) {
            throw new AssertionError("it cannot get here");
        }
    }

    private void assertNamed(ActorScope scope, String name) throws Exception {
        var actor = scope.<Object, Object>find(ActorName.of(name)).orElseThrow();
        assertThatThrownBy(() -> actor.sendMessageReturn("text").get()).isInstanceOf(ExecutionException.class)
                .cause().isInstanceOf(ClassCastException.class)
                .hasMessageContainingAll("'" + name + "'", "scope 'test'", "java.lang.String")
                .hasMessageMatching("(?s).*(java.lang.Integer|OmitStackTraceInFastThrow).*"); // the JVM may have left it out
    }

    @Promise("28.5")
    @EveryStrategy
    void aMessageThatTheHandlerCannotTakeFailsWithTheNameOfTheActor(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            doubling(scope.named("lambda"));
            scope.named("class").newActor(new Named());
            scope.named("replying").newActorWithReturn(new NamedReplying());
            scope.named("state").state(() -> 1).newActor((Integer state, Integer n) -> {
            });
            scope.named("context").newActor((ActorContext<Integer, Void> context, Integer n) -> {
            });
            for (var name : List.of("lambda", "class", "replying", "state", "context")) {
                assertNamed(scope, name);
            }
            scope.<Object, Object>find(ActorName.of("lambda")).orElseThrow().sendMessage("text");
            var failed = recorder.await(Failed.class, 6);
            assertThat(failed).allSatisfy(event -> assertThat(event.cause())
                    .isInstanceOf(ClassCastException.class).hasMessageContaining("'" + event.actor() + "'"));
        }
    }

    @Promise("28.5")
    @EveryStrategy
    void aCastOfTheHandlersOwnIsThrownAsItIs(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.named("own").newActorWithReturn((Object message) -> ((Integer) message) + 1);
            assertThatThrownBy(() -> actor.sendMessageReturn("text").get()).cause()
                    .isInstanceOf(ClassCastException.class).hasNoCause()
                    .hasMessageStartingWith("class java.lang.String cannot be cast");
            var mine = new ClassCastException("class java.lang.String cannot be cast to class Mine");
            var thrower = scope.named("thrower").newActorWithReturn((String message) -> {
                throw mine;
            });
            assertThat(Waits.failure(thrower.sendMessageReturn("text"))).isSameAs(mine);
        }
    }

    /** A class, whose method is no bridge: it takes anything. */
    private static final class Casting implements Handler<Object> {
        int sum;

        @Override
        public void handle(Object message) {
            sum += (Integer) message;
        }
    }

    /** The compiler adds a bridge method, since the method returns a narrower type than that of the interface. */
    private static final class CastingReplying implements ReplyHandler<Object, Integer> {
        @Override
        public Integer handle(Object message) {
            return (Integer) message;
        }
    }

    private static void cast(Object message) {
        var number = (Integer) message;
        assertThat(number).isNotNull();
    }

    /** Wherever a cast fails in the code of a handler, the exception is the one that was thrown there. */
    @Promise("28.5")
    @EveryStrategy
    void aCastInAClassOrInALambdaInsideTheHandlerIsThrownAsItIs(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            Consumer<Integer> inner = number -> {
            };
            var keyed = scope.anonymous().keyed((Integer n) -> n).newActorsFrom(key -> (context, n) -> {
            });
            var handlers = List.<Handler<Object>>of(new Casting(), NamesTest::cast,
                    message -> cast(message), message -> consume(inner, message),
                    message -> sendAny(keyed, message), new Casting()::handle);
            for (var handler : handlers) {
                scope.anonymous().newActor(handler).sendMessage("text");
            }
            scope.anonymous().newActorWithReturn(new CastingReplying()).sendMessage("text");
            var failed = recorder.await(Failed.class, handlers.size() + 1);
            assertThat(failed).allSatisfy(event -> assertThat(event.cause())
                    .isInstanceOf(ClassCastException.class).hasNoCause()
                    .hasMessageStartingWith("class java.lang.String cannot be cast"));
        }
    }

    @SuppressWarnings("unchecked") // wrong on purpose
    private static void consume(Consumer<?> consumer, Object message) {
        ((Consumer<Object>) consumer).accept(message);
    }

    @SuppressWarnings("unchecked") // wrong on purpose: the function that finds the key fails
    private static void sendAny(KeyedActors<?, ?, ?> keyed, Object message) {
        ((KeyedActors<Integer, Object, Void>) keyed).sendMessage(message);
    }

    /** HotSpot throws an exception without a text and a stack where a cast has failed often, in code that C2 has compiled. */
    @Promise("28.5")
    @Test
    void aMessageThatTheHandlerCannotTakeNamesTheActorAlsoWhenThatHappensOften() throws Exception {
        var lines = Child.run(FailedCasts.class, List.of("-XX:TieredStopAtLevel=4")).lines()
                .filter(line -> line.startsWith("> ")).toList();
        assertThat(lines).hasSize(2);
        assumeFalse(lines.toString().contains(FailedCasts.NEVER_BARE),
                "this JVM gives each failed cast a text");
        assertThat(lines.getFirst()).startsWith("> hot: ").contains("'hot'").contains("java.lang.String")
                .contains("OmitStackTraceInFastThrow");
        assertThat(lines.getLast()).startsWith("> own: ").contains("'own'").contains("java.lang.String")
                .contains("a cast in the handler");
    }
}
