package io.fibry.strategies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorExecutor;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.testing.Senders;
import io.fibry.testing.Waits;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class StrategyTest {
    private static ActorScope scope(CreationStrategy strategy) {
        return ActorSystem.configure("test").strategy(strategy).listener(event -> {
        }).open();
    }

    @Test
    void threadsGivesEachActorOneThreadFromItsMakingToItsStop() throws Exception {
        try (var scope = scope(CreationStrategy.threads())) {
            var builder = scope.named("own");
            var actor = builder.newActorWithReturn((Integer n) -> Thread.currentThread());
            var other = scope.anonymous().newActorWithReturn((Integer n) -> Thread.currentThread());
            var thread = actor.apply(1);
            assertThat(thread.isVirtual()).isFalse();
            assertThat(thread.isDaemon()).isTrue();
            assertThat(thread.getName()).startsWith("fibry").contains("own");
            assertThat(actor.apply(2)).isSameAs(thread);
            assertThat(other.apply(1)).isNotSameAs(thread);
            assertThat(thread.isAlive()).isTrue();
            actor.close();
            Waits.on(thread);
        }
    }

    @Test
    void fibersGivesAVirtualThreadWhileThereAreMessages() throws Exception {
        try (var scope = scope(CreationStrategy.fibers())) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> Thread.currentThread());
            var thread = actor.apply(1);
            assertThat(thread.isVirtual()).isTrue();
            Waits.on(thread);
        }
    }

    @Test
    void poolHasSoManyThreadsForAllItsActors() throws Exception {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        var running = new AtomicInteger();
        var most = new AtomicInteger();
        var pool = CreationStrategy.pool(2);
        try (var scope = scope(pool)) {
            Senders.run(4, sender -> {
                var actor = scope.anonymous().newActorWithReturn((Integer n) -> {
                    threads.add(Thread.currentThread());
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    Thread.yield();
                    running.decrementAndGet();
                    return n;
                });
                for (int i = 0; i < 200; i++) {
                    assertThat(actor.apply(i)).isEqualTo(i);
                }
            });
            assertThat(most).hasValueLessThanOrEqualTo(2);
            assertThat(threads).noneMatch(Thread::isVirtual);
        }
    }

    @Test
    void aThreadOfAPoolEndsByItselfWhenItHasNothingToDo() throws Exception {
        try (var scope = scope(CreationStrategy.pool(1))) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> Thread.currentThread());
            Waits.on(actor.apply(1));
            assertThat(actor.apply(2).isAlive()).isTrue();
        }
    }

    @Test
    void callerRunsOnTheSendersThread() {
        try (var scope = scope(CreationStrategy.caller())) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> Thread.currentThread());
            assertThat(actor.apply(1)).isSameAs(Thread.currentThread());
        }
    }

    @Test
    void anExecutorOfTheUsersIsNotShutDown() throws Exception {
        try (var executor = Executors.newSingleThreadExecutor(Thread.ofPlatform().name("mine").factory())) {
            try (var scope = scope(CreationStrategy.of(executor))) {
                var actor =
                        scope.anonymous().newActorWithReturn((Integer n) -> Thread.currentThread().getName());
                assertThat(actor.apply(1)).isEqualTo("mine");
            }
            try (var scope = scope(actor -> executor)) {
                var actor =
                        scope.anonymous().newActorWithReturn((Integer n) -> Thread.currentThread().getName());
                assertThat(actor.apply(1)).isEqualTo("mine");
            }
            assertThat(executor.isShutdown()).isFalse();
        }
    }

    @Test
    void aUsersStrategyIsAskedOnceForEachActorAndToldOfItsStop() {
        var asked = new CopyOnWriteArrayList<String>();
        var stopped = new CopyOnWriteArrayList<String>();
        CreationStrategy mine = actor -> {
            asked.add(actor);
            return new ActorExecutor() {
                @Override
                public void execute(Runnable turn) {
                    turn.run();
                }

                @Override
                public void actorStopped() {
                    stopped.add(actor);
                }
            };
        };
        try (var scope = scope(mine)) {
            var a = scope.named("a").newActorWithReturn((Integer n) -> n);
            var b = scope.named("b").newActorWithReturn((Integer n) -> n);
            assertThat(a.apply(1) + a.apply(2) + b.apply(3)).isEqualTo(6);
            assertThat(asked).containsExactly("a", "b");
            a.close();
            assertThat(stopped).containsExactly("a");
            a.close();
        }
        assertThat(stopped).containsExactly("a", "b");
    }

    @Test
    void aStrategyThatCannotMakeAnExecutorMakesNoActor() {
        CreationStrategy broken = actor -> {
            throw new IllegalStateException("no thread for " + actor);
        };
        try (var scope = scope(broken)) {
            assertThatThrownBy(() -> scope.named("a").newActor((Integer n) -> {
            })).hasMessage("no thread for a");
            assertThat(scope.find(ActorName.of("a"))).isEmpty();
        }
    }

    @Test
    void theDefaultIsThatOfTheActorElseOfTheScopeElseOfTheSystem() {
        var before = ActorSystem.defaultStrategy();
        try (var scope = scope(CreationStrategy.caller()); var other = ActorSystem.open("other")) {
            ActorSystem.setDefaultStrategy(CreationStrategy.threads());
            assertThat(ActorSystem.defaultStrategy()).isSameAs(CreationStrategy.threads());
            var said = scope.anonymous().strategy(CreationStrategy.fibers())
                    .newActorWithReturn((Integer n) -> Thread.currentThread());
            var ofScope = scope.anonymous().newActorWithReturn((Integer n) -> Thread.currentThread());
            var ofSystem = other.anonymous().newActorWithReturn((Integer n) -> Thread.currentThread());
            assertThat(said.apply(1).isVirtual()).isTrue();
            assertThat(ofScope.apply(1)).isSameAs(Thread.currentThread());
            assertThat(ofSystem.apply(1).getName()).startsWith("fibry-");
        } finally {
            ActorSystem.setDefaultStrategy(before);
        }
        assertThat(before).isSameAs(CreationStrategy.fibers());
    }

    @Test
    void strategiesHaveNames() {
        assertThat(List.of(CreationStrategy.threads(), CreationStrategy.fibers(), CreationStrategy.caller()))
                .extracting(Object::toString).containsExactly("threads", "fibers", "caller");
        assertThat(CreationStrategy.pool(3)).hasToString("pool(3)");
    }
}
