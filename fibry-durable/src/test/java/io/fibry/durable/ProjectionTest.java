package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorException;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.durable.Bank.Deposited;
import io.fibry.durable.Bank.Event;
import io.fibry.durable.Bank.Look;
import io.fibry.durable.Durable.Past;
import io.fibry.event.ActorEvent;
import io.fibry.event.Undelivered;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What projections make of events. */
class ProjectionTest {
    @TempDir
    private Path folder;

    private DurableStore open() {
        return DurableStore.open("file:" + folder.resolve("bank.db"));
    }

    /** Writes the sum of each account to a table of the store. */
    static void sum(Connection connection, Projection.Batch<? extends Event> batch) throws SQLException {
        try (var statement = connection.createStatement()) {
            if (batch.isFirst()) {
                statement.execute(
                        "CREATE TABLE IF NOT EXISTS sums(part INT NOT NULL, account VARCHAR(200) NOT NULL, cents BIGINT NOT NULL, turns BIGINT NOT NULL, PRIMARY KEY(part, account))");
                statement.execute("DELETE FROM sums WHERE part = " + batch.part());
            }
        }
        for (var turn : batch.turns()) {
            long cents = turn.events().stream().mapToLong(event -> switch (event) {
                case Deposited in -> in.cents();
                case Bank.Withdrawn out -> -out.cents();
            }).sum();
            if (turn.isDeleted()) {
                try (var delete = connection.prepareStatement(
                        "DELETE FROM sums WHERE account = ? AND part = " + batch.part())) {
                    delete.setString(1, turn.key());
                    delete.executeUpdate();
                }
            }
            try (var add = connection
                    .prepareStatement(
                            "UPDATE sums SET cents = cents + ?, turns = turns + 1 WHERE account = ? AND part = "
                                    + batch.part());
                    var begin = connection
                            .prepareStatement("INSERT INTO sums VALUES(" + batch.part() + ", ?, ?, 1)")) {
                add.setLong(1, cents);
                add.setString(2, turn.key());
                if (add.executeUpdate() == 0) {
                    begin.setString(1, turn.key());
                    begin.setLong(2, cents);
                    begin.executeUpdate();
                }
            }
        }
    }

    /** Returns the sums in the table, and how many turns each is made of. */
    static Map<String, List<Long>> sums(Connection connection) throws SQLException {
        try (connection;
                var statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT account, cents, turns FROM sums")) {
            var sums = new HashMap<String, List<Long>>();
            while (rows.next()) {
                sums.put(rows.getString(1), List.of(rows.getLong(2), rows.getLong(3)));
            }
            return sums;
        }
    }

    private Map<String, List<Long>> sums() {
        try {
            return sums(java.sql.DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("bank.db")));
        } catch (SQLException e) {
            return Map.of();
        }
    }

    private static Durable<Bank.Balance, Event> accounts(DurableStore store) {
        return Bank.durable(store).snapshotEvery(3).keepHistory(Duration.ofDays(1));
    }

    private static io.fibry.keyed.KeyedActors<String, Bank.Command, Bank.Answer> open(ActorScope scope,
            DurableStore store) {
        return Bank.open(scope, accounts(store), Bank.LONG, new AtomicInteger());
    }

    /** What it was told of is in the store. */
    @Test
    @Promise("88.2")
    void aCommitWhileAProjectionEndsReportsNoLoss() throws Exception {
        var lost = new ConcurrentLinkedQueue<ActorEvent>();
        var isAtWork = new CountDownLatch(1);
        var mayEnd = new CountDownLatch(1);
        try (var store = open();
                var scope = ActorSystem.open("bank");
                var reports = ActorSystem.configure("reports").listener(event -> {
                    if (event instanceof Undelivered) {
                        lost.add(event);
                    }
                }).open()) {
            var accounts = open(scope, store);
            Projection.<Event>of("sums", accounts(store)).start(reports, batch -> {
                if (!batch.turns().isEmpty()) {
                    isAtWork.countDown();
                    mayEnd.await();
                }
            });
            Waits.on(accounts.sendMessageReturn(Bank.deposit("a", 1)));
            Waits.on(isAtWork);
            var closes = Thread.ofVirtual().start(reports::close);
            Waits.until("it closes", reports::isClosing);
            Waits.on(accounts.sendMessageReturn(Bank.deposit("a", 1)));
            mayEnd.countDown();
            closes.join();
        }
        assertThat(lost).isEmpty();
    }

    @Test
    @Promise("88.2")
    void aTableOfTheStoreHasEachTurnOnceAndIsMadeAgain() throws Exception {
        var fails = new AtomicInteger(2);
        try (var store = open(); var scope = ActorSystem.open("bank")) {
            var accounts = open(scope, store);
            var sums = Projection.<Event>of("sums", accounts(store)).startInTransaction(scope,
                    (connection, batch) -> {
                        sum(connection, batch);
                        if (!batch.turns().isEmpty() && fails.getAndDecrement() > 0) {
                            throw new IllegalArgumentException("on purpose");
                        }
                    });
            for (int i = 0; i < 20; i++) {
                Waits.on(accounts.sendMessageReturn(Bank.deposit("a" + i % 3, 1)));
            }
            Waits.until("all are there",
                    () -> sums().values().stream().mapToLong(sum -> sum.get(0)).sum() == 20);
            Waits.until("nothing waits", () -> sums.lag().isZero());
            assertThat(sums()).containsOnly(Map.entry("a0", List.of(7L, 7L)),
                    Map.entry("a1", List.of(7L, 7L)),
                    Map.entry("a2", List.of(6L, 6L)));
            assertThat(fails.get()).as("it has failed in between").isLessThanOrEqualTo(0);
        }
        try (var store = open(); var scope = ActorSystem.open("bank")) {
            var accounts = open(scope, store);
            var begun = new AtomicInteger();
            var sums = Projection.<Event>of("sums", accounts(store)).startInTransaction(scope,
                    (connection, batch) -> {
                        begun.addAndGet(batch.isFirst() ? 1 : 0);
                        sum(connection, batch);
                    });
            Waits.on(accounts.sendMessageReturn(new Bank.Drop("a0")));
            Waits.on(accounts.sendMessageReturn(Bank.deposit("a0", 5)));
            Waits.until("it goes on", () -> sums().containsValue(List.of(5L, 2L)));
            assertThat(begun).hasValue(0);
            sums.rebuild();
            Waits.until("it is made again",
                    () -> begun.get() == 1 && sums.lag().isZero()
                            && sums().equals(Map.of("a0", List.of(5L, 2L), "a1",
                                    List.of(7L, 7L), "a2", List.of(6L, 6L))));
        }
    }

    @Test
    @Promise("88.2")
    void aHandlerGetsTurnsAgainWithTheSameNumbersUntilItHasReturned() throws Exception {
        var seen = new CopyOnWriteArrayList<Past<Event>>();
        var fails = new AtomicBoolean(true);
        try (var store = open(); var scope = ActorSystem.open("bank")) {
            var accounts = open(scope, store);
            for (int i = 0; i < 5; i++) {
                Waits.on(accounts.sendMessageReturn(Bank.deposit("a" + i % 2, i)));
            }
            var running = Projection.<Event>of("list", accounts(store)).start(scope, batch -> {
                seen.addAll(batch.turns());
                if (fails.getAndSet(false)) {
                    throw new IllegalArgumentException("on purpose");
                }
            });
            Waits.until("they have come twice", () -> seen.size() == 10 && running.lag().isZero());
            assertThat(seen.subList(0, 5)).isEqualTo(seen.subList(5, 10));
            assertThat(seen).extracting(Past::kind).containsOnly("accounts");
            assertThat(seen.subList(0, 5)).extracting(Past::key).containsExactly("a0", "a1", "a0", "a1",
                    "a0");
            assertThat(seen.subList(0, 5)).extracting(Past::number).isSorted().doesNotHaveDuplicates();
            assertThatThrownBy(() -> Projection.<Event>of("list", accounts(store)).start(scope, batch -> {
            })).isInstanceOf(IllegalStateException.class).hasMessageContaining("list runs already");
        }
    }

    @Test
    @Promise("88.3")
    void partsHaveTheirOwnPlacesAndStoresThatSharePausesAndWork() throws Exception {
        var seen = new ConcurrentHashMap<String, AtomicInteger>();
        try (var store = DurableStore.inMemory();
                var other = store.another();
                var scope = ActorSystem.open("bank");
                var second = ActorSystem.open("second")) {
            var accounts = open(scope, store);
            var projection = Projection.<Event>of("parts", accounts(store)).parts(3);
            var running = projection.start(scope, batch -> batch.turns()
                    .forEach(turn -> seen.computeIfAbsent(turn.key(), key -> new AtomicInteger())
                            .incrementAndGet()));
            var there =
                    Projection.<Event>of("parts", accounts(other)).parts(3).start(second,
                            batch -> batch.turns()
                                    .forEach(turn -> seen
                                            .computeIfAbsent(turn.key(), key -> new AtomicInteger())
                                            .incrementAndGet()));
            there.pause();
            for (int i = 0; i < 60; i++) {
                Waits.on(accounts.sendMessageReturn(Bank.deposit("a" + i % 20, 1)));
            }
            Waits.until("the lag is known", () -> !running.lag().isZero());
            assertThat(seen).as("it is paused, also here").isEmpty();
            running.resume();
            Waits.until("all have come",
                    () -> seen.values().stream().mapToInt(AtomicInteger::get).sum() >= 60);
            Waits.until("nothing waits", () -> running.lag().isZero() && there.lag().isZero());
            assertThat(seen).hasSize(20).allSatisfy((key, count) -> assertThat(count).hasValue(3));
            running.close();
            Waits.on(accounts.sendMessageReturn(Bank.deposit("a0", 1)));
            Waits.until("the other one goes on", () -> seen.get("a0").get() == 4);
        }
    }

    /** Each part deletes what it has made and nothing else, when it begins and when all is made again. */
    @Test
    @Promise("88.2")
    void partsWriteToOneTableAndMakeItAgain() throws Exception {
        try (var store = open(); var scope = ActorSystem.open("bank")) {
            requirePartsOfOneTable(store, scope,
                    () -> java.sql.DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("bank.db")));
        }
    }

    static void requirePartsOfOneTable(DurableStore store, ActorScope scope, SqlSession.Source database)
            throws Exception {
        try (var connection = database.connect(); var statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE bookings(part INT NOT NULL, account VARCHAR(200) NOT NULL, cents BIGINT NOT NULL)");
        }
        var accounts = open(scope, store);
        for (int i = 0; i < 60; i++) {
            Waits.on(accounts.sendMessageReturn(Bank.deposit("a" + i % 20, 1)));
        }
        var begun = new ConcurrentHashMap<Integer, AtomicInteger>();
        var running = Projection.<Event>of("bookings", accounts(store)).parts(4).startInTransaction(scope,
                (connection, batch) -> {
                    if (batch.isFirst()) {
                        begun.computeIfAbsent(batch.part(), part -> new AtomicInteger()).incrementAndGet();
                        try (var delete =
                                connection.prepareStatement("DELETE FROM bookings WHERE part = ?")) {
                            delete.setInt(1, batch.part());
                            delete.executeUpdate();
                        }
                    }
                    try (var add = connection.prepareStatement("INSERT INTO bookings VALUES(?, ?, 1)")) {
                        for (var turn : batch.turns()) {
                            add.setInt(1, batch.part());
                            add.setString(2, turn.key());
                            add.executeUpdate();
                        }
                    }
                });
        for (int times = 1; times <= 2; times++) {
            int each = times;
            Waits.until("each part has begun", () -> begun.size() == 4
                    && begun.values().stream().allMatch(count -> count.get() >= each));
            Waits.until("nothing waits", () -> running.lag().isZero());
            Waits.until("all are there", () -> bookings(database).equals(List.of(60, 20, 20)));
            running.rebuild();
        }
        running.close();
    }

    /** Returns how many rows there are, how many accounts, and how many pairs of part and account. */
    private static List<Integer> bookings(SqlSession.Source database) {
        try (var connection = database.connect();
                var statement = connection.createStatement();
                var rows = statement.executeQuery(
                        "SELECT count(*), count(DISTINCT account), (SELECT count(*) FROM (SELECT DISTINCT part, account FROM bookings) p) FROM bookings")) {
            rows.next();
            return List.of(rows.getInt(1), rows.getInt(2), rows.getInt(3));
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @Promise("88.1")
    void theEventsOfTwoKindsComeInTheOrderOfTheirCommits() throws Exception {
        record Named(String name) {
        }
        var seen = new CopyOnWriteArrayList<Past<Record>>();
        try (var store = open(); var scope = ActorSystem.open("bank")) {
            var accounts = open(scope, store);
            var names =
                    Durable.of(store, "names", String.class, "", Named.class, (state, named) -> named.name());
            var owners = names.keyed(scope, String.class, String.class, name -> "a" + name.length(),
                    (self, name) -> {
                        self.persist(new Named(name));
                        return self.state();
                    });
            // A kind of which the projection was not made.
            var others = Durable.stateOnly(store, "others", String.class, "").keyed(scope, String.class,
                    String.class, text -> text, (self, text) -> {
                        self.persist(text);
                        return text;
                    });
            for (int i = 0; i < 3; i++) {
                Waits.on(accounts.sendMessageReturn(Bank.deposit("a1", i)));
                Waits.on(others.sendMessageReturn("a1"));
                Waits.on(owners.sendMessageReturn(String.valueOf(i)));
            }
            var running = Projection.<Record>of("both",
                    Durable.of(store, "accounts", Bank.Balance.class, Bank.Balance.NONE, Deposited.class,
                            Bank.Balance::apply),
                    names).start(scope, batch -> seen.addAll(batch.turns()));
            Waits.until("all have come", () -> seen.size() >= 6 && running.lag().isZero());
            Waits.on(owners.sendMessageReturn("7"));
            Waits.until("the next one has come", () -> seen.size() == 7);
        }
        assertThat(seen).extracting(Past::kind).containsExactly("accounts", "names", "accounts", "names",
                "accounts", "names", "names");
        assertThat(seen).extracting(Past::key).containsOnly("a1");
        assertThat(seen).extracting(Past::revision).containsExactly(1L, 1L, 2L, 2L, 3L, 3L, 4L);
        assertThat(seen).extracting(Past::number).isSorted().doesNotHaveDuplicates();
        assertThat(seen.stream().map(turn -> turn.events().getFirst())).containsExactly(new Deposited(0),
                new Named("0"), new Deposited(1), new Named("1"), new Deposited(2), new Named("2"),
                new Named("7"));
    }

    @Test
    @Promise("88.2")
    void aBatchThatHasFailedComesAgainAfterItsPauseHoweverMuchIsCommitted() throws Exception {
        var time = new ManualTime();
        var fails = new AtomicBoolean(true);
        var tries = new AtomicInteger();
        var seen = new AtomicInteger();
        try (var store = DurableStore.inMemory();
                var scope = ActorSystem.open("bank");
                var report = ActorSystem.configure("report").time(time).open()) {
            var accounts = open(scope, store);
            var running = Projection.<Event>of("list", accounts(store)).start(report, batch -> {
                tries.incrementAndGet();
                if (fails.get()) {
                    throw new IllegalArgumentException("on purpose");
                }
                seen.addAndGet(batch.turns().size());
            });
            for (int i = 0; i < 50; i++) {
                Waits.on(accounts.sendMessageReturn(Bank.deposit("a", 1)));
            }
            running.pause(); // behind what the commits have told the projection
            time.advance(Duration.ZERO);
            assertThat(tries).hasValue(1);
            running.resume();
            time.advance(Duration.ZERO);
            assertThat(tries).as("somebody wants it now").hasValue(2);
            fails.set(false);
            time.advance(Duration.ofMinutes(1));
            assertThat(seen).hasValue(50);
            Waits.on(accounts.sendMessageReturn(Bank.deposit("a", 1)));
            Waits.until("a commit wakes it again", () -> seen.get() == 51);
        }
    }

    /** Nothing is written afterwards that would let the projection look again. */
    @Test
    @Promise("88.2")
    void theBatchComesAgainOfWhichTheHandlerHasThrownAnError() throws Exception {
        try (var store = open(); var scope = ActorSystem.open("bank")) {
            Waits.on(open(scope, store).sendMessageReturn(Bank.deposit("a", 1)));
            var fails = new AtomicInteger(1);
            var seen = new CountDownLatch(1);
            Projection.<Event>of("list", accounts(store)).start(scope, batch -> {
                if (fails.getAndDecrement() > 0) {
                    throw new StackOverflowError("on purpose");
                }
                seen.countDown();
            });
            Waits.on(seen);
            var failsAsWell = new AtomicInteger(1);
            Projection.<Event>of("sums", accounts(store)).startInTransaction(scope, (connection, batch) -> {
                sum(connection, batch);
                if (failsAsWell.getAndDecrement() > 0) {
                    throw new StackOverflowError("on purpose");
                }
            });
            Waits.until("it counts once", () -> sums().equals(Map.of("a", List.of(1L, 1L))));
        }
    }

    /** A journal that writes down what is done with it, and lets a test do something while a projection begins. */
    private static final class Noted extends ForwardingJournal {
        private final List<String> done = new CopyOnWriteArrayList<>();
        private final AtomicReference<Runnable> onFollow = new AtomicReference<>(() -> {
        });

        @Override
        public Follower follow(String name, Set<String> groups) throws Exception {
            var follower = super.follow(name, groups);
            onFollow.get().run();
            return new ForwardingFollower(follower) {
                @Override
                public Journal.Progress step(int most, boolean inTransaction, Journal.Work work)
                        throws Exception {
                    done.add("step");
                    return super.step(most, inTransaction, work);
                }

                @Override
                public void close() throws IOException {
                    done.add("end");
                    super.close();
                }
            };
        }

        @Override
        public void close() throws IOException {
            done.add("close");
            super.close();
        }
    }

    @Test
    void aProjectionEndsBeforeItsStore() throws Exception {
        var journal = new Noted();
        var store = DurableStore.of(journal, CommitOptions.defaults());
        try (var scope = ActorSystem.open("bank")) {
            var running = Projection.<Event>of("list", accounts(store)).start(scope, batch -> {
            });
            Waits.until("it is at work", () -> journal.done.contains("step"));
            store.close();
            assertThat(journal.done).endsWith("end", "close");
            assertThatThrownBy(running::pause).hasStackTraceContaining("had stopped");
        }
    }

    @Test
    void aProjectionThatBeginsWhileItsStoreIsClosedDoesNothing() throws Exception {
        var journal = new Noted();
        var store = DurableStore.of(journal, CommitOptions.defaults());
        var closing = new Thread(store::close);
        journal.onFollow.set(() -> {
            closing.start();
            Waits.until("it is being closed", () -> isClosed(store));
        });
        try (var scope = ActorSystem.open("bank")) {
            assertThatThrownBy(() -> Projection.<Event>of("list", accounts(store)).start(scope, batch -> {
            })).hasStackTraceContaining("the store is closed");
            closing.join();
        }
        assertThat(journal.done).containsExactlyInAnyOrder("end", "close");
    }

    private static boolean isClosed(DurableStore store) {
        try {
            store.requireOpen();
            return false;
        } catch (IllegalStateException closed) {
            return true;
        }
    }

    /** What was erased holds up nothing: the key begins with the turn that has erased it. */
    @Test
    @Promise({"88.4", "89.3"})
    void anErasedKeyThatComesBackIsPartOfWhatIsBuiltAgain() throws Exception {
        try (var store = open();
                var memory = DurableStore.inMemory();
                var scope = ActorSystem.open("bank");
                var other = ActorSystem.open("other")) {
            for (var each : List.of(store, memory)) {
                var scopeOf = each == store ? scope : other;
                var accounts = open(scopeOf, each);
                var seen = new CopyOnWriteArrayList<String>();
                var running = Projection.<Event>of("list", accounts(each)).start(scopeOf,
                        batch -> batch.turns().forEach(turn -> seen
                                .add(turn.key() + turn.revision() + (turn.isDeleted() ? " deleted" : ""))));
                Waits.on(accounts.sendMessageReturn(Bank.deposit("ann", 1)));
                assertThat(accounts(each).keys().erase("ann")).isTrue();
                for (int i = 0; i < 4; i++) {
                    Waits.on(accounts.sendMessageReturn(Bank.deposit("ann", 1)));
                }
                Waits.until("all have come", () -> seen.contains("ann6") && running.lag().isZero());
                seen.clear();
                running.rebuild();
                Waits.until("all have come again", () -> seen.contains("ann6"));
                assertThat(seen).containsExactly("ann2 deleted", "ann3", "ann4", "ann5", "ann6");
            }
        }
    }

    /** Turns are kept for a projection that has not got them, and one that comes too late is told so. */
    @Test
    @Promise("88.4")
    void turnsAreKeptUntilAProjectionHasThemAndOneThatIsLateIsRefused() throws Exception {
        var goOn = new CountDownLatch(1);
        var keys = new CopyOnWriteArrayList<String>();
        try (var store = open(); var scope = ActorSystem.open("bank")) {
            var durable = Bank.durable(store).snapshotEvery(1);
            var accounts = Bank.open(scope, durable, Bank.LONG, new AtomicInteger());
            var running = Projection.<Event>of("slow", durable).start(scope, batch -> {
                if (!batch.turns().isEmpty()) {
                    goOn.await();
                    batch.turns().forEach(turn -> keys.add(turn.key() + turn.revision()));
                }
            });
            for (int i = 0; i < 4; i++) {
                Waits.on(accounts.sendMessageReturn(Bank.deposit("a", 1)));
                store.compaction.run(Duration.ZERO);
            }
            goOn.countDown();
            Waits.until("all have come", () -> keys.size() >= 4 && running.lag().isZero());
            assertThat(keys).containsExactly("a1", "a2", "a3", "a4");
            Waits.on(accounts.sendMessageReturn(new Look("a")));
            store.compaction.run(Duration.ZERO);
            assertThat(durable.history("a", 0, 10)).hasSizeLessThan(3);
            assertThatThrownBy(running::rebuild)
                    .hasStackTraceContaining("accounts a are not in the store any more");
            assertThatThrownBy(() -> Projection.<Event>of("late", durable).start(scope, batch -> {
            })).isInstanceOf(ActorException.class)
                    .hasStackTraceContaining("accounts a are not in the store any more");
            running.drop();
        }
    }

    /** The state is the same object as the first one again. */
    @Test
    @Promise({"88.4", "89.1"})
    void oneThatIsLateIsRefusedAlsoIfAKeyIsBackAtItsFirstState() throws Exception {
        try (var store = open(); var scope = ActorSystem.open("bank")) {
            var durable = Durable.of(store, "sums", Long.class, 0L, Deposited.class,
                    (sum, event) -> sum + event.cents()).snapshotEvery(1);
            var sums = durable.keyed(scope, Integer.class, Void.class, cents -> "a",
                    (self, cents) -> {
                        self.persist(new Deposited(cents));
                        return null;
                    });
            Waits.on(sums.sendMessageReturn(30));
            Waits.on(sums.sendMessageReturn(-30));
            Waits.until("the first turn is deleted", () -> isFirstDeleted(store, durable));
            assertThatThrownBy(() -> Projection.<Deposited>of("late", durable).start(scope, batch -> {
            })).hasStackTraceContaining("sums a are not in the store any more");
            assertThat(durable.keys().list("", "", 10)).containsExactly("a");
        }
    }

    private static boolean isFirstDeleted(DurableStore store, Durable<?, ?> durable) {
        try {
            store.compaction.run(Duration.ZERO);
            return durable.history("a", 0, 1).stream().allMatch(turn -> turn.revision() > 1);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
