package io.fibry.pool;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.Recipient;
import io.fibry.Reply;
import io.fibry.Request;
import io.fibry.message.MessageFate;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RouterTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    /** Answers with its name. */
    private static Actor<Integer, String> actor(ActorScope scope, String name) {
        return scope.named(name).newActorWithReturn((Integer number) -> name);
    }

    private static List<Actor<Integer, String>> actors(ActorScope scope, int count) {
        return IntStream.range(0, count).mapToObj(n -> actor(scope, "actor" + n)).toList();
    }

    private static List<String> answers(Recipient<Integer, String> router, int count) throws Exception {
        var names = new ArrayList<String>();
        for (int n = 0; n < count; n++) {
            names.add(Waits.on(router.sendMessageReturn(n)));
        }
        return names;
    }

    @Promise("39.10")
    @EveryStrategy
    void byTurns(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var targets = actors(scope, 3);
            var router = Router.roundRobin("turns", targets);
            assertThat(answers(router, 6)).containsExactly("actor0", "actor1", "actor2", "actor0", "actor1",
                    "actor2");
            targets.get(1).close();
            assertThat(answers(router, 6)).containsOnly("actor0", "actor2");
            assertThat(router.remove(targets.get(1))).isTrue();
            assertThat(router.remove(targets.get(1))).isFalse();
            router.add(actor(scope, "late"));
            assertThat(answers(router, 3)).containsExactlyInAnyOrder("actor0", "actor2", "late");
            assertThat(router.targets()).hasSize(3);
        }
    }

    @Promise("39.10")
    @EveryStrategy
    void byChance(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var counts = new HashMap<String, Integer>();
            answers(Router.random("chance", actors(scope, 3), new SplittableRandom(4)), 300)
                    .forEach(name -> counts.merge(name, 1, Integer::sum));
            assertThat(counts).hasSize(3).allSatisfy((name, count) -> assertThat(count).isBetween(60, 140));
        }
    }

    @Promise("39.10")
    @Test
    void toTheOneWithTheLeastToDo() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var targets = new ArrayList<Recipient<Integer, String>>(actors(scope, 2));
            targets.add(
                    WorkerPool.openWithReturn(scope, "pool", PoolOptions.<Integer>fixed(2, 10), n -> "pool"));
            var router = Router.leastLoaded("least", targets);
            try (var gate = Gate.in((Actor<Integer, String>) targets.getFirst())) {
                // The others may still count the message that they have just answered.
                for (int n = 0; n < 3; n++) {
                    targets.getFirst().sendMessage(n);
                }
                assertThat(answers(router, 10)).doesNotContain("actor0").contains("actor1", "pool");
                gate.open();
            }
            assertThat(answers(Router.leastLoaded("mine", targets, target -> -target.name().length()), 3))
                    .containsOnly("actor0", "actor1");
            List<Recipient<int[], String>> unknown =
                    List.of(scope.anonymous().keyed((int[] message) -> message[0]).idle(LONG)
                            .newActorsWithReturnFrom(key -> (context, message) -> "keyed"));
            assertThatThrownBy(() -> Router.leastLoaded("unknown", unknown))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("leastLoaded");
        }
    }

    @Promise("39.10")
    @EveryStrategy
    void byKeyAndOnlyTheKeysMoveThatHaveTo(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var targets = actors(scope, 3);
            var router = Router.byKey("keys", targets, number -> number % 60);
            var before = answers(router, 60);
            assertThat(answers(router, 60)).isEqualTo(before);
            for (var target : targets) {
                assertThat(before.stream().filter(target.name()::equals).count()).isBetween(8L, 35L);
            }
            router.add(actor(scope, "late"));
            var grown = answers(router, 60);
            var moved =
                    IntStream.range(0, 60).filter(n -> !grown.get(n).equals(before.get(n))).boxed().toList();
            assertThat(moved).hasSizeBetween(5, 30);
            assertThat(moved).allSatisfy(n -> assertThat(grown.get(n)).isEqualTo("late"));
            targets.getFirst().close();
            var shrunk = answers(router, 60);
            for (int n = 0; n < 60; n++) {
                if (!grown.get(n).equals("actor0")) {
                    assertThat(shrunk.get(n)).isEqualTo(grown.get(n));
                } else {
                    assertThat(shrunk.get(n)).isNotEqualTo("actor0");
                }
            }
            assertThatThrownBy(() -> router.add(targets.get(1))).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'actor1'");
        }
    }

    @Promise("39.10")
    @EveryStrategy
    void byKeyAlsoIfNamesShareTheirHashCode(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var router = Router.byKey("keys", List.of(actor(scope, "shard-Aa"), actor(scope, "shard-BB")),
                    number -> number);
            assertThat(answers(router, 60).stream().filter("shard-BB"::equals).count()).isBetween(15L, 45L);
        }
    }

    @Promise("39.10")
    @EveryStrategy
    void toAll(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var targets = actors(scope, 3);
            var all = Router.broadcast("all", targets);
            assertThat(Waits.on(all.sendMessageReturn(1))).containsExactly("actor0", "actor1", "actor2");
            assertThat(Waits.on(all.ask(1, LONG))).hasSize(3);
            assertThat(all.sendMessage(2)).isTrue();
            assertThat(Waits.on(all.sendTracked(2))).isEqualTo(new MessageFate.Handled());
            assertThat(Waits.failure(all.request(new Request<Integer>() {
            }))).isInstanceOf(UnsupportedOperationException.class);
            targets.get(1).close();
            assertThat(all.sendMessage(2, LONG)).isFalse();
            assertThat(Waits.failure(all.sendMessageReturn(2))).isInstanceOf(ActorStoppedException.class)
                    .hasMessageContaining("actor1");
            assertThat(Waits.on(all.sendTracked(2, LONG))).isInstanceOf(MessageFate.Refused.class);
        }
    }

    private record Size(String text) implements Request<Integer> {
    }

    @Promise("39.10")
    @Test
    void aRouterIsARecipientLikeAnyOther() throws Exception {
        try (var scope = Scopes.configure().open()) {
            List<Recipient<Size, Reply>> targets =
                    List.of(scope.anonymous()
                            .newActorWithReturn((Size size) -> size.reply(size.text().length())),
                            WorkerPool.openWithReturn(scope, "pool", PoolOptions.fixed(1, 10),
                                    (Size size) -> size.reply(size.text().length())));
            Router<Size, Reply> inner = Router.roundRobin("inner", targets);
            Router<Size, Reply> outer = Router.roundRobin("outer", List.of(inner));
            for (int n = 0; n < 2; n++) {
                CompletableFuture<Integer> size = outer.request(new Size("four"));
                assertThat(Waits.on(size)).isEqualTo(4);
                assertThat(outer.requestWait(new Size("four"), LONG)).isEqualTo(4);
                assertThat(outer.sendMessage(new Size(""), LONG)).isTrue();
                assertThat(Waits.on(outer.sendTracked(new Size("")))).isEqualTo(new MessageFate.Handled());
                assertThat(Waits.on(outer.sendTracked(new Size(""), LONG)).isHandled()).isTrue();
            }
            assertThat(outer.name()).isEqualTo("outer");
            assertThatThrownBy(() -> outer.remove(inner)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("only recipient");
            assertThatThrownBy(() -> Router.roundRobin("none", List.<Actor<Integer, Void>>of()))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> outer.sendMessage(null)).isInstanceOf(NullPointerException.class);
        }
    }

    /** A recipient that has no room, and throws. */
    private static Actor<Integer, String> full(ActorScope scope, CountDownLatch mayEnd) {
        var begun = new CountDownLatch(1);
        var actor = scope.named("full").mailbox(MailboxPolicy.bounded(1, OverflowPolicy.fail()))
                .newActorWithReturn((Integer number) -> {
                    begun.countDown();
                    mayEnd.await();
                    return "full";
                });
        actor.sendMessage(0);
        assertThatCode(() -> Waits.on(begun)).doesNotThrowAnyException();
        actor.sendMessage(0);
        return actor;
    }

    @Promise("39.10")
    @Test
    void aRecipientThatThrowsKeepsTheMessageFromNoOther() throws Exception {
        var mayEnd = new CountDownLatch(1);
        try (var scope = Scopes.configure().open()) {
            var last = actor(scope, "last");
            var all = Router.broadcast("all", List.of(actor(scope, "first"), full(scope, mayEnd), last));
            assertThatThrownBy(() -> all.sendMessage(1)).isInstanceOf(MailboxFullException.class)
                    .hasMessageContaining("'full'");
            assertThat(Waits.failure(all.sendMessageReturn(2))).isInstanceOf(MailboxFullException.class);
            assertThatThrownBy(() -> all.sendMessage(3, LONG)).isInstanceOf(MailboxFullException.class);
            assertThat(all.sendTracked(4)).isNotNull();
            soon().until(() -> last.counters().handled() == 4);
            mayEnd.countDown();
        }
    }

    @Promise("39.10")
    @EveryStrategy
    void theAnswersOfABroadcastCompleteIfOneIsCancelled(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var cancelled = new CancellationException("on purpose");
            Actor<Integer, String> cancels = scope.named("cancels").newActorWithReturn((Integer number) -> {
                throw cancelled;
            });
            var answers =
                    Router.broadcast("all", List.of(actor(scope, "first"), cancels)).sendMessageReturn(1);
            assertThatThrownBy(() -> Waits.on(answers)).isInstanceOf(CancellationException.class);
            assertThat(answers.isDone()).isTrue();
        }
    }

    @Promise("39.10")
    @Test
    void aRouterThatWouldSendToItselfIsRefused() throws Exception {
        try (var scope = ActorSystem.open("test")) {
            var first = Router.roundRobin("first", List.of(actor(scope, "a")));
            var second = Router.roundRobin("second", List.of(first));
            for (var wrong : List.of(first, second)) {
                assertThatThrownBy(() -> first.add(wrong)).isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("'"
                                + wrong.name()
                                + "' cannot be a recipient of router 'first': its messages would come back to that router"
                                + " for ever");
            }
            second.add(first); // twice as much of it
            assertThat(answers(second, 4)).containsOnly("a");
            assertThatThrownBy(() -> first.add(null)).isInstanceOf(NullPointerException.class)
                    .hasMessage("a recipient of router 'first'");
        }
    }

    @Promise("39.10")
    @EveryStrategy
    void aPoolThatHasStoppedIsPassedOver(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var stopped = WorkerPool.openWithReturn(scope, "stopped", PoolOptions.<Integer>fixed(1, 10),
                    n -> "stopped");
            var open =
                    WorkerPool.openWithReturn(scope, "open", PoolOptions.<Integer>fixed(1, 10), n -> "open");
            Recipient<Integer, String> inner = Router.roundRobin("inner", List.of(stopped));
            stopped.close();
            List<Recipient<Integer, String>> targets = List.of(stopped, open);
            for (var router : List.of(Router.leastLoaded("least", targets),
                    Router.roundRobin("turns", targets),
                    Router.random("chance", targets, new SplittableRandom(1)),
                    Router.byKey("keys", targets, n -> n),
                    Router.roundRobin("nested", List.of(inner, open)))) {
                assertThat(answers(router, 10)).containsOnly("open");
            }
            assertThat(Waits.failure(Router.roundRobin("none", List.of(stopped)).sendMessageReturn(1)))
                    .isInstanceOf(ActorStoppedException.class);
        }
    }
}
