package io.fibry.durable;

import static io.fibry.durable.Bank.deposit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.durable.Bank.Balance;
import io.fibry.durable.Bank.Deposited;
import io.fibry.durable.Bank.Drop;
import io.fibry.durable.Bank.Event;
import io.fibry.durable.Bank.Look;
import io.fibry.durable.Bank.Twice;
import io.fibry.durable.Durable.Past;
import io.fibry.durable.Journal.Id;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Turns that are kept although a snapshot covers them. */
class KeptHistoryTest {
    private static final Duration YEAR = Duration.ofDays(365);
    private static final Duration ALL = Duration.ofDays(-1);

    private final MemoryJournal journal = new MemoryJournal();

    private static Durable<Balance, Event> accounts(DurableStore store) {
        return Bank.durable(store).snapshotEvery(3);
    }

    @Test
    @Promise("64.5")
    void theTurnsBelowASnapshotAreThereAndARestartDoesNotReadThem() throws Exception {
        try (var store = DurableStore.of(journal, CommitOptions.defaults())) {
            var durable = accounts(store).keepHistory(YEAR);
            try (var scope = ActorSystem.open("test")) {
                var accounts = Bank.open(scope, durable, Bank.LONG, new AtomicInteger());
                for (int i = 1; i <= 10; i++) {
                    Waits.on(accounts.sendMessageReturn(i == 5 ? new Twice("a", 7) : deposit("a", i)));
                }
                store.compaction.run(ALL);
            }
            var all = durable.history("a", 0, 100);
            assertThat(all).extracting(Past::revision)
                    .containsExactlyElementsOf(LongStream.rangeClosed(1, 10).boxed().toList());
            assertThat(all.get(4).events()).isEqualTo(List.of(new Deposited(7), new Deposited(7)));
            assertThat(all.get(9).events()).isEqualTo(List.of(new Deposited(10)));
            assertThat(all.getFirst().at()).isBetween(Instant.now().minusSeconds(300), Instant.now());
            assertThat(durable.history("a", 3, 2)).isEqualTo(all.subList(3, 5));
            assertThat(durable.history("b", 0, 100)).isEmpty();
            var id = new Id("accounts", "a");
            assertThat(journal.load(List.of(id)).get(id).turns()).hasSize(1);
            try (var scope = ActorSystem.open("next")) {
                var accounts = Bank.open(scope, durable, Bank.LONG, new AtomicInteger());
                Waits.on(accounts.sendMessageReturn(new Drop("a")));
                assertThat(Waits.on(accounts.sendMessageReturn(deposit("a", 1))).cents()).isOne();
                store.compaction.run(ALL);
                assertThat(durable.history("a", 0, 100)).as("also of what was deleted").hasSize(12);
            }
        }
    }

    @Test
    @Promise("64.5")
    void withoutItTheyAreDeletedAndSoAreThoseThatAreOldEnough() throws Exception {
        try (var store = DurableStore.of(journal, CommitOptions.defaults())) {
            var durable = accounts(store).keepHistory(YEAR);
            try (var scope = ActorSystem.configure("long-ago").time(new ManualTime()).open()) {
                assertThat(scope.time().clock().instant()).isBefore(Instant.now().minus(YEAR));
                var accounts = Bank.open(scope, durable, Bank.LONG, new AtomicInteger());
                for (int i = 1; i <= 4; i++) {
                    Waits.on(accounts.sendMessageReturn(deposit("a", i)));
                }
            }
            store.compaction.run(ALL);
            assertThat(durable.history("a", 0, 100)).as("the store serves no such actors now").hasSize(4);
            try (var scope = ActorSystem.open("today")) {
                var accounts = Bank.open(scope, durable, Bank.LONG, new AtomicInteger());
                for (int i = 5; i <= 8; i++) {
                    Waits.on(accounts.sendMessageReturn(deposit("a", i)));
                }
                store.compaction.run(ALL);
                assertThat(durable.history("a", 0, 100)).extracting(Past::revision).containsExactly(5L, 6L,
                        7L,
                        8L);
            }
            try (var scope = ActorSystem.open("without")) {
                var accounts = Bank.open(scope, accounts(store), Bank.LONG, new AtomicInteger());
                assertThat(Waits.on(accounts.sendMessageReturn(new Look("a"))).cents()).isEqualTo(36);
                store.compaction.run(ALL);
                assertThat(durable.history("a", 0, 100)).extracting(Past::revision).containsExactly(7L, 8L);
            }
        }
    }

    /** To look for old turns among all that are kept takes long. */
    @Test
    void aHistoryIsLookedThroughWhenAHundredthOfItsTimeIsOver() throws Exception {
        var done = new ArrayList<String>();
        var noted = new ForwardingJournal() {
            @Override
            public Step compact(String group, Instant before, Position from, int most) {
                done.add(group);
                return new Step(0, Optional.empty());
            }
        };
        // With this limit, its own compactions do not come.
        try (var store = DurableStore.of(noted, new CommitOptions(Duration.ofDays(1)))) {
            store.groups().add(target("none", Duration.ZERO));
            store.groups().add(target("day", Duration.ofDays(1)));
            store.groups().add(target("thousand years", Duration.ofDays(365_250)));
            var compaction = new Compaction(store, Duration.ofMinutes(1));
            for (int minute = 0; minute < 29; minute++) {
                compaction.run();
            }
        }
        assertThat(done).filteredOn("none"::equals).hasSize(29);
        assertThat(done).filteredOn("day"::equals).as("once in 14 minutes").hasSize(3);
        assertThat(done).filteredOn("thousand years"::equals).hasSize(1);
    }

    @Test
    void whatIsNoHistoryIsRefused() throws Exception {
        try (var store = DurableStore.of(journal, CommitOptions.defaults())) {
            assertThatThrownBy(() -> accounts(store).keepHistory(Duration.ofDays(-1)))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("PT-24H");
            assertThatThrownBy(() -> accounts(store).keepHistory(null)).hasMessage("time");
            assertThatThrownBy(() -> accounts(store).history("a", 0, 0))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("not 0");
            var forEver = accounts(store).keepHistory(Duration.ofSeconds(Long.MAX_VALUE));
            try (var scope = ActorSystem.open("test")) {
                var accounts = Bank.open(scope, forEver, Bank.LONG, new AtomicInteger());
                for (int i = 1; i <= 4; i++) {
                    Waits.on(accounts.sendMessageReturn(deposit("a", i)));
                }
                store.compaction.run(ALL);
                assertThat(forEver.history("a", 0, 100)).hasSize(4);
            }
        }
    }

    private static Groups.Target target(String name, Duration history) {
        return new Groups.Target() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public String kind() {
                return "a test";
            }

            @Override
            public Optional<Duration> history() {
                return Optional.of(history);
            }

            @Override
            public Object decode(byte[] message) {
                return "";
            }
        };
    }
}
