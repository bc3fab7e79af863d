package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.durable.Bank.Answer;
import io.fibry.durable.Bank.Deposit;
import io.fibry.durable.Bank.Look;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Opens copies of a store whose file, or write-ahead log, has lost its end: cut off, or zeros, from each place at a distance of 512
 * bytes. A copy must have the state after some of the turns that were acknowledged and none of those behind, or fail and say that
 * it is damaged.
 */
class TornFileTest {
    private static final int STEP = 512;
    private static final int TURNS = 60;
    private static final List<String> ACCOUNTS = List.of("a", "b", "c", "d");

    @TempDir
    private Path folder;

    /** The account of each deposit of a cent, in the order in which they were acknowledged. */
    private final List<String> acknowledged = new ArrayList<>();

    /** When SQLite writes what is in the write-ahead log to the file. */
    private enum Checkpoint {
        NEVER, HALFWAY, AT_THE_END
    }

    /** What is done to the end of a file. */
    private enum Damage {
        CUT, ZEROED
    }

    @Test
    @Promise("63.7")
    void aStoreThatHasLostItsEndHasTheStateOfAnEarlierTurnOrIsRefused() throws Exception {
        for (var checkpoint : Checkpoint.values()) {
            damage(checkpoint, 5 * STEP, 41 * STEP);
        }
    }

    @Test
    @Tag("thorough")
    @Promise("63.7")
    void soDoesOneThatHasLostItFromAnyPlace() throws Exception {
        for (var checkpoint : Checkpoint.values()) {
            damage(checkpoint, STEP, STEP);
        }
    }

    @Test
    @Promise("63.7")
    void aFileThatIsShorterThanItSaysIsRefusedWhenItIsOpened() throws Exception {
        var original = Files.createDirectory(folder.resolve("whole"));
        write(original, Checkpoint.AT_THE_END);
        var copy = copy(original).resolve("bank.db");
        DurableStore.open("file:" + copy).close();
        damage(copy, Damage.CUT, Files.size(copy) - STEP);
        assertThatThrownBy(() -> DurableStore.open("file:" + copy).close())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("bank.db is damaged");
    }

    private void damage(Checkpoint checkpoint, int stepOfFile, int stepOfLog) throws Exception {
        var original = Files.createDirectory(folder.resolve(checkpoint.name()));
        write(original, checkpoint);
        for (var file : List.of("bank.db", "bank.db-wal")) {
            if (!Files.exists(original.resolve(file))) {
                continue;
            }
            int step = file.equals("bank.db") ? stepOfFile : stepOfLog;
            int refused = 0;
            int opened = 0;
            long size = Files.size(original.resolve(file));
            // From the end, whose damage is the hardest to see.
            for (long from = (size - 1) / STEP * STEP; from >= 0; from -= step) {
                for (var damage : Damage.values()) {
                    var copy = copy(original);
                    damage(copy.resolve(file), damage, from);
                    var what = "%s of %s %s from %d of %d".formatted(file, checkpoint, damage, from, size);
                    if (check(copy.resolve("bank.db"), what)) {
                        opened++;
                    } else {
                        refused++;
                    }
                }
            }
            assertThat(opened + refused).as(file).isPositive();
            if (file.equals("bank.db-wal")) {
                assertThat(refused).as("a write-ahead log is read up to its damage: %s", checkpoint).isZero();
            } else if (checkpoint == Checkpoint.AT_THE_END) {
                assertThat(refused).as("damage of the file is seen").isGreaterThan(opened);
            }
        }
    }

    /** Leaves files as a process does that ends now. */
    private void write(Path to, Checkpoint checkpoint) throws Exception {
        acknowledged.clear();
        var work = Files.createDirectories(folder.resolve("work " + to.getFileName()));
        var file = work.resolve("bank.db");
        try (var store = Flushing.open("file:" + file); var scope = ActorSystem.open("bank")) {
            var accounts =
                    Bank.open(scope, Bank.durable(store).snapshotEvery(7), Bank.LONG, new AtomicInteger());
            for (int i = 0; i < TURNS; i++) {
                var account = ACCOUNTS.get(i * i % 7 % ACCOUNTS.size());
                var id = i % 3 == 0 ? Optional.of("message " + i) : Optional.<String>empty();
                Waits.on(accounts.sendMessageReturn(new Deposit(account, 1, id)));
                acknowledged.add(account);
                if (checkpoint == Checkpoint.HALFWAY && i == TURNS / 2) {
                    checkpoint(file);
                }
            }
            if (checkpoint == Checkpoint.AT_THE_END) {
                checkpoint(file);
            }
            copy(work, to);
        }
    }

    private static void checkpoint(Path file) throws Exception {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                var statement = connection.createStatement();
                var rows = statement.executeQuery("PRAGMA wal_checkpoint(TRUNCATE)")) {
            assertThat(rows.next() && rows.getInt(1) == 0).as("all of the log is in the file").isTrue();
        }
    }

    private Path copy(Path original) throws IOException {
        var copy = folder.resolve("copy");
        Files.createDirectories(copy);
        Files.deleteIfExists(copy.resolve("bank.db-shm"));
        Files.deleteIfExists(copy.resolve("bank.db-wal"));
        copy(original, copy);
        return copy;
    }

    private static void copy(Path from, Path to) throws IOException {
        for (var name : List.of("bank.db", "bank.db-wal")) {
            var file = from.resolve(name);
            if (Files.exists(file) && Files.size(file) > 0) {
                Files.copy(file, to.resolve(name), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private static void damage(Path file, Damage damage, long from) throws IOException {
        try (var bytes = new RandomAccessFile(file.toFile(), "rw")) {
            long size = bytes.length();
            bytes.setLength(from);
            if (damage == Damage.ZEROED) {
                bytes.setLength(size);
            }
        }
    }

    /** Returns whether the store could be opened and all accounts read. */
    private boolean check(Path file, String what) throws Exception {
        Map<String, Answer> read = new HashMap<>();
        boolean all = true;
        try (var store = Flushing.open("file:" + file); var scope = ActorSystem.open("bank")) {
            var accounts = Bank.open(scope, store);
            for (var account : ACCOUNTS) {
                try {
                    read.put(account, Waits.on(accounts.sendMessageReturn(new Look(account))));
                } catch (ExecutionException refused) {
                    assertIsClear(refused.getCause(), what);
                    all = false;
                }
            }
        } catch (IllegalStateException refused) {
            assertIsClear(refused, what);
            return false;
        }
        assertThat(read.values()).as(what).allMatch(answer -> answer.cents() == answer.revision());
        assertThat(isThereAMoment(read)).as("%s: %s is the state of no moment", what, read).isTrue();
        return all;
    }

    private static void assertIsClear(Throwable failure, String what) {
        assertThat(failure).as(what)
                .message().containsAnyOf("is damaged", "malformed", "is not a database", "disk I/O error",
                        "not what was written", "something else has changed the store");
    }

    /** Whether what was read is the state after some of the turns and none of those behind. */
    private boolean isThereAMoment(Map<String, Answer> read) {
        Map<String, Long> cents = new HashMap<>();
        ACCOUNTS.forEach(account -> cents.put(account, 0L));
        for (int turns = 0;; turns++) {
            if (read.entrySet().stream()
                    .allMatch(each -> cents.get(each.getKey()) == each.getValue().cents())) {
                return true;
            }
            if (turns == acknowledged.size()) {
                return false;
            }
            cents.merge(acknowledged.get(turns), 1L, Long::sum);
        }
    }
}
