package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ScopeLimits;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a program sets for the actors of its scope is not for those of the cluster, on which they depend. */
class LimitedScopeTest {
    private static final ClusterGroup<Integer, Integer, Integer> NUMBERS =
            ClusterGroup.of("numbers", Integer.class, Integer.class, Integer.class, key -> key % 32);
    private static final int KEYS = 32;

    private final MemoryNetwork network = new MemoryNetwork();
    private final List<TestNode> nodes = new ArrayList<>();

    /** How the scopes of the program are limited. */
    enum Limited {
        DROPS {
            @Override
            ActorScope open(String name) {
                return ActorSystem.configure(name)
                        .mailbox(MailboxPolicy.bounded(1, OverflowPolicy.dropOldest())).open();
            }
        },
        FAILS {
            @Override
            ActorScope open(String name) {
                return ActorSystem.configure(name).mailbox(MailboxPolicy.bounded(1, OverflowPolicy.fail()))
                        .onFailure(FailurePolicy.stop()).open();
            }
        },
        HAS_ONE_THREAD {
            @Override
            ActorScope open(String name) {
                return ActorSystem.configure(name).strategy(CreationStrategy.pool(1)).open();
            }
        },
        RUNS_ONE {
            @Override
            ActorScope open(String name) {
                return ActorSystem.configure(name).limits(ScopeLimits.none().running(1)).open();
            }
        },
        KEEPS_FEW {
            @Override
            ActorScope open(String name) {
                return ActorSystem.configure(name).limits(ScopeLimits.none().waiting(4).asks(4)).open();
            }
        };

        abstract ActorScope open(String name);
    }

    @AfterEach
    void close() {
        nodes.reversed().forEach(TestNode::close);
    }

    private TestNode node(Limited limited, String name) {
        var node = new TestNode(limited.open(name),
                ClusterOptions.on(name, network.node()).slices(16).askLimit(TestNode.LIMIT));
        nodes.add(node);
        return node;
    }

    /** Each handler asks an actor of the other node, while it has the only place of its scope. */
    private KeyedActors<Integer, Integer, Integer> share(TestNode node) {
        var reached = new CompletableFuture<KeyedActors<Integer, Integer, Integer>>();
        var numbers = node.cluster.share(NUMBERS, node.scope.named("numbers")
                .mailbox(MailboxPolicy.unbounded()).keyed(NUMBERS.keyOf())
                .newActorsWithReturnFrom(key -> (self, number) -> number < KEYS ? number + 1000
                        : reached.join().sendMessageReturn(other(node, number)).get()));
        reached.complete(numbers);
        return numbers;
    }

    private static int other(TestNode node, int number) {
        for (int key = 0; key < KEYS; key++) {
            var home = node.cluster.homeOf(NUMBERS, key);
            if (home.isPresent() && !home.get().equals(node.cluster.self())) {
                return key;
            }
        }
        throw new AssertionError("no key is at home on the other node: " + number);
    }

    @Promise("80.15")
    @ParameterizedTest
    @EnumSource
    void theClusterWorksWhateverIsSetForTheProgram(Limited limited) throws Exception {
        var a = node(limited, "a");
        var b = node(limited, "b");
        var told = new ConcurrentLinkedQueue<ClusterEvent>();
        a.cluster.watch(event -> {
            told.add(event);
            throw new IllegalStateException("on purpose");
        });
        var here = share(a);
        share(b);
        soon().until(() -> a.cluster.homes().stream()
                .anyMatch(homes -> homes.countOf(a.cluster.self()) == 8
                        && homes.countOf(b.cluster.self()) == 8));
        soon().until(() -> b.cluster.homes().equals(a.cluster.homes()));
        for (int round = 1; round <= 5; round++) {
            for (int key = 0; key < KEYS; key++) {
                assertThat(Waits.on(here.sendMessageReturn(key))).isEqualTo(key + 1000);
                assertThat(Waits.on(here.sendMessageReturn(round * KEYS + key))).isGreaterThan(999);
            }
        }
        var c = node(limited, "c");
        soon().until(() -> told.contains(new ClusterEvent.Joined(c.cluster.self())));
        assertThat(c.cluster.leave(TestNode.LIMIT)).isTrue();
        soon().until(() -> told.contains(new ClusterEvent.Left(c.cluster.self())));
        assertThat(b.cluster.leave(TestNode.LIMIT)).isTrue();
        for (int key = 0; key < KEYS; key++) {
            assertThat(Waits.on(here.sendMessageReturn(key))).isEqualTo(key + 1000);
        }
    }

    @Promise("80.15")
    @ParameterizedTest
    @EnumSource(names = {"HAS_ONE_THREAD", "RUNS_ONE", "KEEPS_FEW"})
    void aWatcherOfANodeThatIsAloneWaitsForNoPlace(Limited limited) throws Exception {
        try (var scope = limited.open("alone"); var cluster = Cluster.open(scope, ClusterOptions.alone())) {
            var busy = new CountDownLatch(1);
            var go = new CountDownLatch(1);
            try {
                // It has the only thread of the scope, the only place to run, and all places to wait.
                var actor = scope.anonymous().newActor((Integer number) -> {
                    busy.countDown();
                    Waits.on(go);
                });
                actor.sendMessage(1);
                Waits.on(busy);
                for (int i = 0; i < 4; i++) {
                    actor.sendMessage(2);
                }
                var told = new ConcurrentLinkedQueue<ClusterEvent>();
                cluster.watch(told::add);
                soon().until(() -> told.contains(new ClusterEvent.Joined(cluster.self())));
            } finally {
                go.countDown();
            }
        }
    }
}
