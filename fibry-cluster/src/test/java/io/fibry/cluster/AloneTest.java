package io.fibry.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorContext;
import io.fibry.ActorSystem;
import io.fibry.cluster.Accounts.Deposit;
import io.fibry.cluster.Accounts.Look;
import io.fibry.function.ContextReplyHandler;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AloneTest {
    private static final Duration LIMIT = TestNode.LIMIT;

    private record Place(int x, Map<String, Integer> names) {
    }

    private record At(Place place) {
    }

    @Promise("79.1")
    @EveryStrategy
    void whatIsSharedIsTheScopesOwn(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            try (var cluster = Cluster.open(scope, ClusterOptions.alone().name("one"))) {
                var own = Accounts.of(scope);
                var before = scope.dump().toString().lines().count();
                var accounts = cluster.share(Accounts.GROUP, own);
                assertThat(accounts).isSameAs(own);
                assertThat(scope.dump().toString().lines().count()).as("what a cluster adds")
                        .isEqualTo(before);
                assertThat(accounts.sendMessage(new Deposit(1, 100))).isTrue();
                assertThat(Waits.on(accounts.ask(new Look(1), LIMIT))).isEqualTo(100);
                assertThat(Waits.on(accounts.sendMessageReturn(new Look(2)))).isZero();
                assertThat(Waits.on(accounts.sendTracked(new Deposit(2, 7))).isHandled()).isTrue();
                assertThat(cluster.serves()).isTrue();
                assertThat(cluster.members()).isEqualTo(Set.of(cluster.self()));
                assertThat(cluster.self().name()).isEqualTo("one");
            }
        }
    }

    @Promise("79.3")
    @Test
    void whoLeavesHandlesWhatIsThereAndTakesNothingMore() throws Exception {
        try (var scope = ActorSystem.open("bank");
                var cluster = Cluster.open(scope, ClusterOptions.alone())) {
            var handled = new AtomicInteger();
            var group = ClusterGroup.of("names", String.class, String.class, Void.class, name -> name);
            var names = cluster.share(group, scope.named("names").keyed(group.keyOf())
                    .newActorsFrom(key -> (self, name) -> handled.incrementAndGet()));
            for (int i = 0; i < 1000; i++) {
                assertThat(names.sendMessage("n" + i % 10)).isTrue();
            }
            assertThat(cluster.leave(LIMIT)).isTrue();
            assertThat(handled).hasValue(1000);
            assertThat(cluster.serves()).isFalse();
            assertThat(names.sendMessage("late")).isFalse();
            assertThat(scope.isClosing()).isFalse();
            assertThat(cluster.leave(LIMIT)).isTrue();
            assertThatThrownBy(() -> cluster.share(Accounts.GROUP, Accounts.of(scope)))
                    .isInstanceOf(ClusterException.class).hasMessageContaining("'alone' has left");
            assertThatThrownBy(() -> cluster.reach(group))
                    .isInstanceOf(ClusterException.class).hasMessageContaining("'alone' has left");
        }
    }

    @Promise("79.2")
    @Test
    void whatCannotCrossIsRefusedAloneAsWell() {
        try (var scope = ActorSystem.open("bank");
                var cluster = Cluster.open(scope, ClusterOptions.alone())) {
            var own = Accounts.of(scope);
            assertThatThrownBy(() -> cluster.reach(Accounts.GROUP)).isInstanceOf(ClusterException.class)
                    .hasMessageContaining("'alone' is alone and shares no group 'accounts'");
            cluster.share(Accounts.GROUP, own);
            assertThat(cluster.reach(Accounts.GROUP)).isSameAs(own);
            assertThatThrownBy(() -> cluster.share(Accounts.GROUP, own)).isInstanceOf(ClusterException.class)
                    .hasMessageContaining("'alone' shares a group 'accounts' already");
            assertThatThrownBy(
                    () -> cluster.reach(ClusterGroup.single("accounts", Accounts.Look.class, Long.class)))
                    .isInstanceOf(ClusterException.class).hasMessageContaining(
                            "'accounts' is that of a singleton, and the node 'alone' has used the name for keyed actors"
                                    + " before; give this one another name");
            assertThatThrownBy(() -> ClusterGroup.of("places", Place.class, At.class, Void.class, At::place))
                    .isInstanceOf(ClusterException.class)
                    .hasMessageContaining("'places'").hasMessageContaining("Place.names is a java.util.Map")
                    .hasMessageContaining("a key is a String");
            var threads = ClusterGroup.of("threads", Long.class, Thread.class, Void.class, Thread::threadId);
            assertThatThrownBy(() -> cluster.share(threads,
                    scope.named("t").keyed(threads.keyOf()).newActorsFrom(key -> (self, m) -> {
                    }))).isInstanceOf(ClusterException.class).hasMessageContaining("'threads' cannot cross")
                    .hasMessageContaining("java.lang.Thread");
            assertThatThrownBy(() -> cluster.share(
                    ClusterGroup.of("x", Long.class, Accounts.Command.class, Long.class,
                            Accounts.Command::account),
                    proxy())).isInstanceOf(ClusterException.class).hasMessageContaining("ActorBuilder.keyed");
            KeyedActors<Long, Accounts.Command, Long> still =
                    scope.named("still").keyed(Accounts.GROUP.keyOf()).idle(LIMIT).immovable()
                            .newActorsWithReturnFrom(key -> (self, m) -> key);
            assertThatThrownBy(() -> cluster.share(
                    ClusterGroup.of("y", Long.class, Accounts.Command.class, Long.class,
                            Accounts.Command::account),
                    still)).isInstanceOf(ClusterException.class)
                    .hasMessageContaining("'still' for the group 'y' must stay on this node")
                    .hasMessageContaining("durable");
            for (var bad : new String[]{" ", "a\nb", "x".repeat(201)}) {
                assertThatThrownBy(() -> ClusterGroup.of(bad, Long.class, Long.class, Void.class, key -> key))
                        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("'" + bad + "'");
            }
            assertThatThrownBy(() -> ClusterOptions.alone().name(" "))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("node");
        }
    }

    @Promise("79.2")
    @Test
    void actorsAreThoseOfOneGroup() {
        try (var scope = ActorSystem.open("bank");
                var cluster = Cluster.open(scope, ClusterOptions.alone())) {
            var own = Accounts.of(scope);
            cluster.share(Accounts.GROUP, own);
            assertThatThrownBy(() -> cluster.share(Accounts.others("others"), own))
                    .isInstanceOf(ClusterException.class)
                    .hasMessage(
                            "The actors 'accounts' are shared as the group 'accounts' already, so they cannot be"
                                    + " those of the group 'others' as well; make other ones for it");
        }
    }

    @Promise("79.2")
    @Test
    void aGroupIsSharedAgainAfterItsEnd() throws Exception {
        try (var scope = ActorSystem.open("bank");
                var cluster = Cluster.open(scope, ClusterOptions.alone())) {
            var first = cluster.share(Accounts.GROUP, Accounts.of(scope));
            assertThat(cluster.homeOf(Accounts.GROUP, 1L)).contains(cluster.self());
            assertThat(first.stop(LIMIT).stopped()).isTrue();
            assertThat(cluster.homeOf(Accounts.GROUP, 1L)).isEmpty();
            assertThat(cluster.homes()).isEmpty();
            assertThatThrownBy(() -> cluster.reach(Accounts.GROUP)).isInstanceOf(ClusterException.class)
                    .hasMessageContaining("shares no group 'accounts'");
            assertThatThrownBy(() -> cluster.share(Accounts.GROUP, first))
                    .isInstanceOf(ClusterException.class)
                    .hasMessage(
                            "The actors 'accounts' for the group 'accounts' were stopped; share new ones");
            var second = cluster.share(Accounts.GROUP, Accounts.of(scope));
            assertThat(cluster.reach(Accounts.GROUP)).isSameAs(second);
            assertThat(Waits.on(second.ask(new Deposit(1, 5), LIMIT))).isEqualTo(5);
        }
    }

    /** Its close takes long, as one that writes its state does. */
    private record Closing(CountDownLatch begun, CountDownLatch goesOn)
            implements
                ContextReplyHandler<Integer, Integer>,
                AutoCloseable {
        @Override
        public Integer handle(ActorContext<Integer, Integer> self, Integer message) {
            return message;
        }

        @Override
        public void close() {
            begun.countDown();
            Waits.until("closing may go on", () -> goesOn.getCount() == 0);
        }
    }

    @Promise("79.2")
    @Test
    void aGroupIsNotSharedAgainWhileItsHandlersAreClosed() throws Exception {
        var begun = new CountDownLatch(1);
        var goesOn = new CountDownLatch(1);
        var group = ClusterGroup.of("slow", Integer.class, Integer.class, Integer.class, key -> key);
        try (var scope = ActorSystem.open("bank");
                var cluster = Cluster.open(scope, ClusterOptions.alone())) {
            KeyedActors<Integer, Integer, Integer> slow = scope.named("slow").keyed(group.keyOf()).idle(LIMIT)
                    .newActorsWithReturnFrom(key -> new Closing(begun, goesOn));
            cluster.share(group, slow);
            assertThat(Waits.on(slow.sendMessageReturn(1))).isEqualTo(1);
            var stop = CompletableFuture.supplyAsync(() -> slow.stop(LIMIT));
            begun.await();
            KeyedActors<Integer, Integer, Integer> next = scope.named("next").keyed(group.keyOf()).idle(LIMIT)
                    .newActorsWithReturnFrom(key -> (self, message) -> message);
            assertThatThrownBy(() -> cluster.share(group, next)).isInstanceOf(ClusterException.class)
                    .hasMessageContaining("'slow' has not ended on the node 'alone' yet");
            goesOn.countDown();
            Waits.on(stop);
            assertThat(cluster.share(group, next)).isSameAs(next);
        }
    }

    @Promise("79.2")
    @Test
    void aGroupIsNotSharedAgainWhileItsHandlersWork() throws Exception {
        var begun = new CountDownLatch(1);
        var goesOn = new CountDownLatch(1);
        var group = ClusterGroup.of("slow", Integer.class, Integer.class, Void.class, key -> key);
        try (var scope = ActorSystem.open("bank");
                var cluster = Cluster.open(scope, ClusterOptions.alone())) {
            var slow = cluster.share(group, scope.named("slow").keyed(group.keyOf())
                    .newActorsFrom(key -> (self, message) -> {
                        begun.countDown();
                        Waits.on(goesOn);
                    }));
            slow.sendMessage(1);
            begun.await();
            var stop = CompletableFuture.supplyAsync(() -> slow.stop(Duration.ofMinutes(1)));
            Waits.until("stopping", () -> !slow.sendMessage(2));
            KeyedActors<Integer, Integer, Void> next =
                    scope.named("next").keyed(group.keyOf()).newActorsFrom(key -> (self, message) -> {
                    });
            assertThatThrownBy(() -> cluster.share(group, next)).isInstanceOf(ClusterException.class)
                    .hasMessageContaining("'slow' has not ended on the node 'alone' yet");
            goesOn.countDown();
            assertThat(Waits.on(stop).stopped()).isTrue();
            assertThat(cluster.share(group, next)).isSameAs(next);
        }
    }

    @SuppressWarnings("unchecked") // never called
    private static KeyedActors<Long, Accounts.Command, Long> proxy() {
        return (KeyedActors<Long, Accounts.Command, Long>) Proxy.newProxyInstance(
                AloneTest.class.getClassLoader(),
                new Class<?>[]{KeyedActors.class}, (self, method, args) -> null);
    }
}
