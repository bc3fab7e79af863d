package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.durable.Bank.Answer;
import io.fibry.durable.Bank.Command;
import io.fibry.durable.Bank.Look;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a process that writes, at random moments, and compares what it has acknowledged with what the store has. Each
 * process goes on where the one before was killed, so the last one has the work of all of them.
 */
class KillTest {
    private static final int KILLS = Integer.getInteger("fibry.kills", 2_000);
    private static final List<String> JARS =
            List.of("fibry-", "slf4j-api", "sqlite-jdbc", "postgresql-", "jackson-");

    @TempDir
    private static Path shared;
    private static ChildJvm bank;

    @TempDir
    private Path folder;

    private final long seed = System.nanoTime();
    private final SplittableRandom random = new SplittableRandom(seed);
    /** The least that each account must have, since it was acknowledged. */
    private final Map<String, Long> acknowledged = new HashMap<>();
    /** How many processes may have written what they have not acknowledged. */
    private int unknown;
    private int kills;
    /** Work that was handed in and was there. */
    private final Set<String> handedIn = new HashSet<>();
    /** The names of parked messages that were dropped. */
    private final Set<String> dropped = new HashSet<>();
    /** How long the last process took until it acknowledged something. */
    private long nanosToBegin = Duration.ofMillis(500).toNanos();

    @BeforeAll
    static void prepare() throws Exception {
        bank = ChildJvm.of(shared, KilledBank.class, JARS, "file:" + shared.resolve("bank.db"), "50");
    }

    @Timeout(300)
    @Test
    @Promise({"63.1", "63.5", "64.2", "66.1", "67.1", "88.1", "88.2", "90.1", "94.1"})
    void nothingThatWasAcknowledgedIsLostByAKill() throws Exception {
        kill("file:" + folder.resolve("bank.db"), 5);
    }

    @Timeout(value = 80, unit = TimeUnit.MINUTES)
    @Test
    @Tag("thorough")
    void nothingThatWasAcknowledgedIsLostByManyKills() throws Exception {
        kill("file:" + folder.resolve("bank.db"), KILLS);
    }

    /** The server of the database is not killed. */
    @Timeout(300)
    @Test
    @Tag("thorough")
    void nothingIsLostByAKillOfAProcessThatUsesADatabase() throws Exception {
        try (var server = EmbeddedPostgres.builder().setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on").start()) {
            kill(server.getJdbcUrl("postgres", "postgres"), 20);
        }
    }

    /** A test cannot cut the power, but it can count the flushes that the process asks for. */
    @Timeout(300)
    @Test
    @Tag("thorough")
    @Promise("63.1")
    void theFileIsFlushedAtLeastOnceForEachTurnOfAKey() throws Exception {
        int turns = 300;
        var log = folder.resolve("flushes.log");
        var process = bank.startBy(
                List.of(strace(), "-f", "-o", log.toString(), "-e", "trace=fdatasync,fsync"),
                "file:" + folder.resolve("bank.db"), Integer.toString(turns));
        try (var reader = process.inputReader()) {
            read(reader, Integer.MAX_VALUE);
        }
        assertThat(process.waitFor()).as(bank.errors()).isZero();
        assertThat(acknowledged).containsEntry("a0", (long) turns);
        assertThat(Files.readAllLines(log).stream().filter(line -> line.contains("sync(")).count())
                .isGreaterThanOrEqualTo(turns);
    }

    private static String strace() {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .map(folder -> Path.of(folder, "strace")).filter(Files::isExecutable).findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "strace, which counts the flushes, is not on the PATH;"
                                + " install it: apt-get install strace (it runs on Linux only)"))
                .toString();
    }

    private void kill(String store, int times) throws Exception {
        for (kills = 1; kills <= times; kills++) {
            killed(bank.start(store));
            unknown++;
            // Without a comparison, the next process finds what this one has left.
            if (kills == times || random.nextBoolean()) {
                compare(store, kills == times, "after %d kills, seed %d".formatted(kills, seed));
                unknown = 0;
            }
        }
        assertThat(acknowledged.values().stream().mapToLong(each -> each).sum()).isPositive();
    }

    /** Kills a process at a random moment: after some acknowledgements, or while it starts. */
    private void killed(Process process) throws Exception {
        long start = System.nanoTime();
        try (var reader = process.inputReader()) {
            if (random.nextInt(3) == 0) {
                long moment = nanosToBegin / 2 + random.nextLong(nanosToBegin);
                assertThat(process.waitFor(moment, TimeUnit.NANOSECONDS)).as(errors()).isFalse();
            } else {
                read(reader, 1);
                nanosToBegin = System.nanoTime() - start;
                read(reader, random.nextInt(120));
            }
            assertThat(process.isAlive()).as(errors()).isTrue();
            // The method of the process itself would close the stream before the last acknowledgements are read.
            process.toHandle().destroyForcibly();
            read(reader, Integer.MAX_VALUE);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private static String errors() throws IOException {
        return "it writes until it is killed, and has said: " + bank.errors();
    }

    private void read(BufferedReader reader, int lines) throws IOException {
        for (int i = 0; i < lines; i++) {
            var line = reader.readLine();
            if (line == null) {
                return;
            }
            var parts = line.split(" ");
            if (parts.length == 2 && !parts[1].isEmpty()) {
                acknowledged.merge(parts[0], Long.parseLong(parts[1]), Math::max);
            }
        }
    }

    private void compare(String url, boolean isLast, String when) throws Exception {
        try (var store = Flushing.open(url); var scope = ActorSystem.open("bank")) {
            var accounts = Bank.open(scope, KilledBank.durable(store), Bank.LONG, new AtomicInteger());
            long sent = 0;
            for (int i = 0; i < KilledBank.ACCOUNTS; i++) {
                var answer = look(accounts, "a" + i);
                require("a" + i, -answer.cents(), 1, when);
                assertThat(answer.revision()).as("a%d has no gap, %s", i, when).isEqualTo(-answer.cents());
                sent += -answer.cents();
            }
            var hot = look(accounts, "hot");
            require("hot", hot.cents(), KilledBank.HOT, when);
            assertThat(hot.revision()).as("hot has no gap, %s", when).isEqualTo(hot.cents());
            long all = sent;
            Waits.until("what was sent has arrived, " + when, () -> look(accounts, "sum").cents() >= all);
            assertThat(look(accounts, "sum").cents()).as("each has arrived once, %s", when).isEqualTo(all);
            var flushed = look(accounts, "flushed");
            require("flushed", flushed.cents(), 1, when);
            assertThat(flushed.revision()).as("what came after a flush is not there, %s", when)
                    .isEqualTo(flushed.cents());
            for (int i = 0; i < KilledBank.REMINDED; i++) {
                var account = "r" + i;
                Waits.until("the last reminder of " + account + " has come, " + when,
                        () -> KilledBank.set(look(accounts, account)) <= look(accounts, account).cents());
                var answer = look(accounts, account);
                assertThat(answer.cents()).as("each has come once to %s, %s", account, when)
                        .isEqualTo(KilledBank.set(answer));
                require(account, answer.cents(), 1, when);
            }
            var parks = look(accounts, "parks");
            require("parks", -parks.cents(), 1, when);
            compareParked(KilledBank.durable(store).keys(), -parks.cents(), when);
            KilledBank.project(scope, store);
            compareSums(url, accounts, when);
            compareWork(KilledBank.works(store), when);
            if (isLast) {
                KilledBank.work(scope, store, accounts);
                compareDone(KilledBank.works(store), accounts, when);
            }
        }
    }

    /** What was handed in is there. */
    private void compareWork(DurableQueue<Long> works, String when) throws Exception {
        for (var id : List.copyOf(acknowledged.keySet())) {
            if (id.startsWith("w") && handedIn.add(id)) {
                assertThat(works.receipt(id)).as("%s, %s", id, when).isPresent();
            }
        }
    }

    /** All work is done in the end, also what the parent was not told of, and has counted once. */
    private void compareDone(DurableQueue<Long> works, KeyedActors<String, Command, Answer> accounts,
            String when)
            throws Exception {
        for (var id : works.keys().list("w", "", Integer.MAX_VALUE)) {
            Waits.until(id + " is done, " + when, () -> {
                try {
                    return works.receipt(id).orElseThrow().state() == DurableQueue.Receipt.State.DONE;
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
        }
        assertThat(look(accounts, "worked").cents()).as(when).isEqualTo(works.keys().count("w"))
                .isGreaterThanOrEqualTo(handedIn.size());
        assertThat(handedIn).isNotEmpty();
    }

    /** Each message that was not taken is parked once. They are dropped. */
    private void compareParked(DurableKeys keys, long sent, String when) throws Exception {
        Waits.until("the messages that were not taken are parked, " + when, () -> {
            try {
                for (var page = keys.parked(Optional.empty(), 100); !page.isEmpty(); page =
                        keys.parked(Optional.empty(), 100)) {
                    for (var parked : page) {
                        assertThat(parked.key()).isEqualTo("parks");
                        assertThat(keys.drop(parked)).isTrue();
                        assertThat(dropped.add(parked.name())).as("%s is parked once, %s", parked, when)
                                .isTrue();
                    }
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return dropped.size() >= sent;
        });
        assertThat(dropped).as("each is parked once, %s", when).hasSize(Math.toIntExact(sent));
    }

    /** The projection has each turn of each account once. */
    private static void compareSums(String url, KeyedActors<String, Command, Answer> accounts, String when)
            throws Exception {
        var expected = new HashMap<String, List<Long>>();
        for (var account : List.of("a0", "a1", "a7", "hot", "sum", "flushed", "r0", "r1", "parks")) {
            var answer = look(accounts, account);
            if (answer.revision() > 0) {
                expected.put(account, List.of(answer.cents(), answer.revision()));
            }
        }
        var jdbc = url.replace("file:", "jdbc:sqlite:");
        Waits.until("the sums are those of the accounts, " + when, () -> {
            try {
                return ProjectionTest.sums(DriverManager.getConnection(jdbc)).entrySet()
                        .containsAll(expected.entrySet());
            } catch (SQLException e) {
                assertThat(e.getMessage()).as("a process may have ended before it began")
                        .containsAnyOf("no such table", "does not exist");
                return false;
            }
        });
    }

    /** The next process goes on from what was written, acknowledged or not. */
    private void require(String account, long value, int uncertain, String when) {
        long least = acknowledged.getOrDefault(account, 0L);
        assertThat(value).as("%s: %s", account, when).isBetween(least, least + (long) uncertain * unknown);
        acknowledged.put(account, value);
    }

    private static Answer look(KeyedActors<String, Command, Answer> accounts, String account) {
        try {
            return Waits.on(accounts.sendMessageReturn(new Look(account)));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
