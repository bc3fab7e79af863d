package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Loaded;
import io.fibry.durable.Journal.Position;
import io.fibry.durable.Journal.Sent;
import io.fibry.durable.Journal.Slices;
import io.fibry.durable.Journal.Turn;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a store does with each journal. */
abstract class StoreContract extends QueueContract {
    private static final CommitOptions PATIENT = CommitOptions.defaults().limit(Duration.ofSeconds(60));

    @Test
    @Promise("63.8")
    void theLargestTurnOfTheContractIsTheLargestOne() {
        assertThat(MOST_OF_TURN).isEqualTo(TurnSize.MOST);
    }

    @Test
    @Promise("88.4")
    void aRefusalOfAProjectionSaysWhichTurnsAreMissingAndWhatToDo() throws Exception {
        try (var journal = open(); var follower = journal.follow("sums", Set.of("others"))) {
            journal.commit(List.of(turn(ID, 1), withSnapshot(ID, 2), turn(new Id("others", "1"), 1)));
            assertThat(compact(journal)).isPositive();
            assertThatThrownBy(() -> journal.follow("late", Set.of("accounts")))
                    .hasMessageContaining("the projection late").hasMessageContaining("accounts 4711")
                    .hasMessageContaining("keepHistory");
            try (var more = journal.follow("sums", Set.of("others", "accounts"))) {
                assertThatThrownBy(() -> more.step(1, false, (connection, from, turns) -> {
                    throw new AssertionError("nothing is handed over");
                })).hasMessageContaining("the projection sums was made of other kinds");
                assertThatThrownBy(more::rewind).hasMessageContaining("the projection sums")
                        .hasMessageContaining("accounts 4711");
            }
            follower.forget();
        }
    }

    /** The next process finds many keys, one message that was not sent, and one reminder that is due. */
    @Test
    @Promise("68.1")
    void theNextProcessReadsNoneOfManyKeysThatItDoesNotNeed() throws Exception {
        int keys = 100_000;
        var unmarked = new ForwardingJournal(open()) {
            @Override
            public void sent(Collection<Sent> turns) {
                // The process ended before.
            }
        };
        // By its clock the reminder is not due, however long this takes.
        var stands = new ManualTime(Instant.now(), Duration.ZERO);
        try (var store = DurableStore.of(unmarked, PATIENT);
                var scope = ActorSystem.configure("first").time(stands).open()) {
            var accounts = Bank.open(scope, store);
            Waits.on(accounts.sendMessageReturn(Bank.deposit("first", 5)));
            var first = store.load(new Id("accounts", "first")).turns().getFirst();
            for (int i = 0; i < keys; i += 4_000) {
                unmarked.commit(IntStream.range(i, i + 4_000)
                        .mapToObj(n -> new Turn(new Id("accounts", "k" + n), 1, first.at(), first.events(),
                                List.of(), NONE, List.of(), Set.of(), Optional.empty(), false))
                        .toList());
            }
            Waits.on(accounts.sendMessageReturn(new Bank.Transfer("sender", "receiver", 3)));
            Waits.until("the money has arrived", () -> cents(accounts, "receiver") == 3);
            Waits.on(accounts.sendMessageReturn(new Bank.Later("reminded", Instant.now(), 2)));
        }
        var loaded = ConcurrentHashMap.<Id>newKeySet();
        var watched = new ForwardingJournal(open()) {
            @Override
            public Map<Id, Loaded> load(Collection<Id> ids) throws Exception {
                loaded.addAll(ids);
                return super.load(ids);
            }
        };
        try (var store = DurableStore.of(watched, PATIENT); var scope = ActorSystem.open("next")) {
            var accounts = Bank.open(scope, store);
            assertThat(cents(accounts, "k77777")).isEqualTo(5);
            Waits.until("what was not sent is known as sent", () -> unsent(store) == 0);
            Waits.until("the reminder is over", () -> due(store) == 0);
            assertThat(loaded).extracting(Id::key).containsExactlyInAnyOrder("k77777", "receiver",
                    "reminded");
            assertThat(cents(accounts, "receiver")).isEqualTo(3);
            assertThat(cents(accounts, "reminded")).isEqualTo(2);
            assertThat(Bank.durable(store).keys().count("k9")).as("those of several pages").isEqualTo(11_111);
        }
    }

    // A journal is read by one thread at a time, which is that of its store.

    private static int unsent(DurableStore store) {
        try {
            return store.read(journal -> journal.unsent("accounts", Slices.ALL, Position.FIRST, 10)).size();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static int due(DurableStore store) {
        try {
            return store
                    .read(journal -> journal.due("accounts", Slices.ALL, Instant.now().plusSeconds(10), 10))
                    .size();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static long cents(KeyedActors<String, Bank.Command, Bank.Answer> accounts, String account) {
        try {
            return Waits.on(accounts.sendMessageReturn(new Bank.Look(account))).cents();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
