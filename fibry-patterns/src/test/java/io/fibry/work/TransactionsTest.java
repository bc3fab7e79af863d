package io.fibry.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.FailurePolicy;
import io.fibry.event.Failed;
import io.fibry.function.ReplyHandler;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/** A state that changes in transactions. */
class TransactionsTest {
    private final Recorder recorder = new Recorder();

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, recorder);
    }

    private static void add(List<String> list, String text) {
        list.add(text);
        if (text.equals("fail")) {
            throw new IllegalStateException("as wanted");
        }
    }

    private static Transactions<List<String>, String> open(ActorScope scope) {
        return Transactions.open(scope.named("list"), ArrayList::new, ArrayList::new, TransactionsTest::add);
    }

    private static List<String> read(Transactions<List<String>, String> list) throws Exception {
        return Waits.on(list.read(List::copyOf));
    }

    @Promise("46.13")
    @EveryStrategy
    void aMessageThatFailsChangesNothing(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var list = open(scope);
            list.send("a");
            list.send("fail");
            list.send("b");
            assertThat(read(list)).containsExactly("a", "b");
            assertThat(recorder.await(Failed.class).actor()).isEqualTo("list");
            assertThat(list.counters().failed()).isOne();
        }
    }

    @Promise("46.13")
    @EveryStrategy
    void codeCommitsOrRollsBack(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var list = open(scope);
            var added = list.transact(transaction -> transaction.state().add("a"));
            assertThat(Waits.on(added)).isEqualTo(true);
            var size = list.transact(transaction -> {
                transaction.state().add("b");
                transaction.rollBack();
                return transaction.state().size();
            });
            assertThat(Waits.on(size)).isEqualTo(2);
            assertThat(Waits.failure(list.transact(transaction -> {
                transaction.state().clear();
                throw new IllegalStateException("as wanted");
            }))).hasMessage("as wanted");
            assertThat(read(list)).containsExactly("a");
            var kept = new AtomicReference<Transaction<List<String>>>();
            Waits.on(list.transact(transaction -> {
                kept.set(transaction);
                transaction.replace(List.of("new"));
                return transaction.state();
            }));
            assertThat(read(list)).containsExactly("new");
            assertThat(Waits.failure(CompletableFuture.runAsync(() -> kept.get().state(), Runnable::run)))
                    .hasMessageContaining("is over");
        }
    }

    @Promise("46.13")
    @EveryStrategy
    void thePolicyDecidesAsForAnyFailure(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var list = Transactions.<List<String>, String>open(
                    scope.named("list").onFailure(FailurePolicy.restart(3, Duration.ofMinutes(1))),
                    () -> new ArrayList<>(List.of("initial")), ArrayList::new, TransactionsTest::add);
            list.send("a");
            list.send("fail");
            assertThat(read(list)).containsExactly("initial");
        }
    }

    @Promise("46.13")
    @EveryStrategy
    void aGroupIsOneTransaction(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var list = open(scope);
            Waits.on(list.sendAll(List.of("a", "b")));
            assertThat(Waits.failure(list.sendAll(List.of("c", "fail", "d")))).hasMessage("as wanted");
            assertThat(read(list)).containsExactly("a", "b");
            assertThat(list.counters().handled()).isEqualTo(2);
        }
    }

    @Promise("46.13")
    @EveryStrategy
    void nothingComesBetweenTheMessagesOfAGroup(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var list = open(scope);
            var senders = new ArrayList<Thread>();
            for (int sender = 0; sender < 4; sender++) {
                var name = "s" + sender;
                senders.add(Thread.startVirtualThread(() -> {
                    for (int i = 0; i < 25; i++) {
                        var group = list.sendAll(List.of(name, name, name));
                        list.send("x");
                        group.join();
                    }
                }));
            }
            for (var sender : senders) {
                Waits.on(sender);
            }
            var all = read(list);
            assertThat(all).hasSize(400);
            for (int i = 0; i < all.size();) {
                if (all.get(i).equals("x")) {
                    i++;
                } else {
                    assertThat(all.subList(i, i + 3)).containsOnly(all.get(i));
                    i += 3;
                }
            }
            assertThat(list.stop(Duration.ofSeconds(5)).stopped()).isTrue();
            assertThat(Waits.on(list.onStopped()).name()).isEqualTo("list");
        }
    }

    @Promise("46.13")
    @EveryStrategy
    void reportsNameTheMessagesAndTheCodeOfTheUser(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var list = open(scope);
            Waits.failure(list.sendAll(List.of("a", "fail")));
            Waits.failure(list.transact(new Failing()));
            Waits.failure(list.read(state -> {
                throw new IllegalStateException("as wanted");
            }));
            list.close();
            var failures = recorder.of(Failed.class);
            assertThat(failures).hasSize(3);
            assertThat(failures.getFirst().message()).contains(String.class);
            assertThat(failures.getFirst().about()).contains("message 2 of a group of 2");
            assertThat(failures.get(1).message()).contains(Failing.class);
            assertThat(failures.get(2).message().orElseThrow().getName())
                    .startsWith(TransactionsTest.class.getName());
            assertThat(Waits.failure(list.sendAll(List.of("a"))))
                    .hasMessageContaining("a message of java.lang.String");
            assertThat(Waits.failure(list.sendAll(List.of()))).isInstanceOf(ActorStoppedException.class);
            assertThat(Waits.failure(list.transact(new Failing())))
                    .hasMessageContaining(Failing.class.getName());
        }
    }

    private static final class Failing implements ReplyHandler<Transaction<List<String>>, Integer> {
        @Override
        public Integer handle(Transaction<List<String>> transaction) {
            throw new IllegalStateException("as wanted");
        }
    }
}
