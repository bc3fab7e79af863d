package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.durable.Bank.Answer;
import io.fibry.durable.Bank.Command;
import io.fibry.durable.Bank.Look;
import io.fibry.durable.KilledBank.Lie;
import io.fibry.durable.KilledBank.Tick;
import io.fibry.durable.KilledBank.Ticks;
import io.fibry.internal.clock.SystemTime;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.JumpingTime;
import io.fibry.testing.LogsErrors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Kills a process that writes, at random moments, and compares what it has acknowledged with what the store has. Each
 * process goes on where the one before was killed, so the last one has the work of all of them.
 */
class KillTest {
    private static final int KILLS = Integer.getInteger("fibry.kills", 2_000);
    private static final List<String> JARS =
            List.of("fibry-", "slf4j-api", "sqlite-jdbc", "postgresql-", "mariadb-", "jackson-");

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
    /** Whether processes go on after a failure, so that any number of turns may have been written without an acknowledgement. */
    private boolean unbounded;
    private int kills;
    /** Work that was handed in and was there. */
    private final Set<String> handedIn = new HashSet<>();
    /** The names of parked messages that were dropped. */
    private final Set<String> dropped = new HashSet<>();
    /** Why something was not done, as the processes have said. */
    private final Set<String> failures = new HashSet<>();
    private Lie lie = Lie.NONE;
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

    @Timeout(value = 80, unit = TimeUnit.MINUTES)
    @Test
    @Tag("thorough")
    @LogsErrors // by the embedded server, which cannot be stopped any more
    @Promise({"63.1", "64.2", "65.2", "66.1", "67.1", "88.1", "90.1"})
    void nothingIsLostWherePostgresIsStoppedAndStandsStillAndProcessesAreKilled() throws Exception {
        try (var server = new PostgresServer(folder)) {
            disturb(server);
        }
    }

    @Timeout(value = 80, unit = TimeUnit.MINUTES)
    @Test
    @Tag("thorough")
    @Promise({"63.1", "64.2", "65.2", "66.1", "67.1", "88.1", "90.1"})
    void nothingIsLostWhereMariaIsKilledAndStandsStillAndProcessesAreKilled() throws Exception {
        try (var server = MariaServer.start(folder)) {
            disturb(server);
        }
    }

    /** Each thing that is compared is found if it is wrong. */
    @Timeout(300)
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    @Tag("thorough")
    void aProcessThatLiesIsFound(Lie told) {
        lie = told;
        assertThatThrownBy(() -> kill("file:" + folder.resolve("bank.db"), 10))
                .isInstanceOf(AssertionError.class).hasMessageContaining(lie.found);
    }

    /** The files of the store are on a disk of their own, which the test fills. */
    @Timeout(value = 80, unit = TimeUnit.MINUTES)
    @Test
    @Tag("thorough")
    @Promise({"63.1", "65.2"})
    void nothingIsLostWhereTheDiskIsFullAndProcessesAreKilled() throws Exception {
        try (var disk = SmallDisk.mount(folder)) {
            int times = Math.max(1, KILLS / 20);
            var store = "file:" + folder.resolve("bank.db");
            for (kills = 1; kills <= times; kills++) {
                boolean isFullAtTheEnd = random.nextBoolean();
                writeOnFull(disk, store, isFullAtTheEnd);
                if (isFullAtTheEnd) {
                    beginOnFull(store);
                    disk.empty();
                }
                if (kills == times || random.nextInt(3) == 0) {
                    compare(store, kills == times, "after %d kills, seed %d".formatted(kills, seed));
                    unknown = 0;
                }
            }
            requireReasons();
            System.out.println(failures);
        }
    }

    /** A process goes on when there is room again, or is killed before. */
    private void writeOnFull(SmallDisk disk, String store, boolean isFullAtTheEnd) throws Exception {
        var process = start(store, "disk");
        unknown++;
        try (var reader = process.inputReader()) {
            read(reader, 1 + random.nextInt(100));
            disk.fill();
            for (int i = random.nextInt(1, 50); i > 0; i--) {
                readUntilFailure(reader);
            }
            if (!isFullAtTheEnd) {
                disk.empty();
                requireMore(reader);
            }
            end(process, reader);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** A process that begins without room says so and ends, or does what needs no more room. */
    private void beginOnFull(String store) throws Exception {
        var process = start(store, "disk");
        unknown++;
        try (var reader = process.inputReader()) {
            if (readLine(reader).contains("cannot be opened")) {
                assertThat(process.waitFor()).isOne();
            } else {
                end(process, reader);
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** SQLite says of its index in shared memory only that it could not be made larger. */
    private void requireReasons() {
        assertThat(failures).as("a process that could not write says that there is no room").isNotEmpty()
                .allMatch(why -> Stream.of("full", "No space left", "trying to resize")
                        .anyMatch(why::contains));
    }

    /** A server that is disturbed. */
    interface Server extends AutoCloseable {
        /** The address, as a port has it that leads to the server. */
        String address(int port);

        int port();

        ProcessHandle process() throws Exception;

        /** Ends it as it ends where the machine fails, and starts it again. */
        void startAgain() throws Exception;

        @Override
        void close() throws IOException;
    }

    /** One or two processes write at a time. The server is stopped, stands still or is cut off; then the processes are killed. */
    private void disturb(Server server) throws Exception {
        unbounded = true;
        var done = new TreeMap<String, Integer>();
        int times = Math.max(1, KILLS / 20);
        try (var proxy = new CuttingProxy(server.port())) {
            for (kills = 1; kills <= times; kills++) {
                var url = server.address(proxy.port());
                var processes = new ArrayList<>(List.of(start(url)));
                var readers = new ArrayList<>(List.of(processes.getFirst().inputReader()));
                read(readers.getFirst(), 1);
                if (random.nextBoolean()) {
                    processes.add(start(url, "second"));
                    readers.add(processes.getLast().inputReader());
                    read(readers.getLast(), 1);
                    done.merge("second writer", 1, Integer::sum);
                }
                int after = random.nextInt(200);
                var what =
                        List.of("kill", "server stopped", "server stood still", "cut").get(random.nextInt(4));
                read(readers.getFirst(), after);
                switch (what) {
                    case "server stopped" -> server.startAgain();
                    case "server stood still" -> {
                        signal(server.process(), "STOP");
                        for (int i = random.nextInt(3); i > 0 && readers.getFirst().ready(); i--) {
                            readLine(readers.getFirst()); // what has come before; no more comes now
                        }
                        // How long it lasts, not a synchronisation: sometimes longer than the limit of the processes.
                        Thread.sleep(random.nextInt(500) + (random.nextInt(4) == 0 ? 5_500 : 0));
                        signal(server.process(), "CONT");
                    }
                    case "cut" -> {
                        int before = proxy.cuts();
                        proxy.cutAfter(random.nextInt(6_000));
                        Waits.until("a cut", () -> proxy.cuts() > before);
                    }
                    default -> {
                    }
                }
                done.merge(what, 1, Integer::sum);
                // They go on: each has something acknowledged again.
                for (int i = 0; i < processes.size() && !what.equals("kill"); i++) {
                    requireMore(readers.get(i));
                }
                for (int i = 0; i < processes.size(); i++) {
                    assertThat(processes.get(i).isAlive()).as(errors()).isTrue();
                    processes.get(i).toHandle().destroyForcibly();
                    read(readers.get(i), Integer.MAX_VALUE);
                    processes.get(i).waitFor();
                }
                done.merge("process killed", processes.size(), Integer::sum);
                if (kills == times || random.nextInt(3) == 0) {
                    compare(server.address(server.port()), kills == times,
                            "after %d rounds, %s, seed %d".formatted(kills, done, seed));
                    done.merge("comparison", 1, Integer::sum);
                }
            }
        }
        System.out.printf("%s: %s; acknowledged: %s%n", server.getClass().getSimpleName(), done,
                acknowledged);
        assertThat(acknowledged.values().stream().mapToLong(each -> each).sum()).isPositive();
    }

    private static void signal(ProcessHandle process, String signal) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor())
                .isZero();
    }

    /** A test cannot cut the power, but it can count the flushes that the process asks for. */
    @Timeout(300)
    @Test
    @Tag("thorough")
    @Promise("63.1")
    void theFileIsFlushedAtLeastOnceForEachTurnOfAKey() throws Exception {
        int turns = 300;
        var log = folder.resolve("flushes.log");
        // As "disk" the process does not fill its file, where some of the turns would be refused.
        var process = bank.startBy(
                List.of(strace(), "-f", "-o", log.toString(), "-e", "trace=fdatasync,fsync"),
                "file:" + folder.resolve("bank.db"), Integer.toString(turns), Lie.NONE.name(), "disk");
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
            killed(store);
            unknown++;
            // Without a comparison, the next process finds what this one has left.
            if (kills == times || random.nextBoolean()) {
                compare(store, kills == times, "after %d kills, seed %d".formatted(kills, seed));
                unknown = 0;
            }
        }
        requireReasons();
        assertThat(acknowledged.values().stream().mapToLong(each -> each).sum()).isPositive();
    }

    private Process start(String store, String... second) throws IOException {
        return bank.start(Stream.concat(Stream.of(store, Integer.toString(Integer.MAX_VALUE), lie.name()),
                Stream.of(second)).toArray(String[]::new));
    }

    /** Kills a process at a random moment: after some acknowledgements, or while it starts. The first one has no room before. */
    private void killed(String store) throws Exception {
        long start = System.nanoTime();
        var process = start(store);
        try (var reader = process.inputReader()) {
            if (kills > 1 && random.nextInt(3) == 0) {
                long moment = nanosToBegin / 2 + random.nextLong(nanosToBegin);
                assertThat(process.waitFor(moment, TimeUnit.NANOSECONDS)).as(errors()).isFalse();
            } else {
                read(reader, 1);
                nanosToBegin = System.nanoTime() - start;
                if (kills == 1) {
                    readUntilFailure(reader);
                    requireMore(reader);
                }
                if (kills == 1 || random.nextInt(8) == 0) {
                    requireRefused(store, process);
                }
                read(reader, random.nextInt(120));
            }
            end(process, reader);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private void end(Process process, BufferedReader reader) throws Exception {
        assertThat(process.isAlive()).as(errors()).isTrue();
        // The method of the process itself would close the stream before the last acknowledgements are read.
        process.toHandle().destroyForcibly();
        read(reader, Integer.MAX_VALUE);
        process.waitFor();
    }

    /** A second process does not get the file. */
    private void requireRefused(String store, Process first) throws Exception {
        var second = start(store, "second");
        try (var reader = second.inputReader()) {
            assertThat(reader.readLine()).as("a second process is refused").startsWith("! ")
                    .contains("is in use by process " + first.pid());
            assertThat(second.waitFor()).isOne();
        } finally {
            second.destroyForcibly().waitFor();
        }
    }

    private static String errors() throws IOException {
        return "it writes until it is killed, and has said: " + bank.errors();
    }

    /** Reads so many acknowledgements; returns false if the process ends before. */
    private boolean read(BufferedReader reader, int acknowledgements) throws IOException {
        for (int count = 0; count < acknowledgements;) {
            var line = readLine(reader);
            if (line.isEmpty()) {
                return false;
            }
            count += isFailure(line) ? 0 : 1;
        }
        return true;
    }

    /** A process that could not write goes on. */
    private void requireMore(BufferedReader reader) throws IOException {
        assertThat(read(reader, 150)).as(errors()).isTrue();
    }

    private void readUntilFailure(BufferedReader reader) throws IOException {
        for (var line = readLine(reader); !line.isEmpty() && !isFailure(line);) {
            line = readLine(reader);
        }
    }

    private static boolean isFailure(String line) {
        return line.startsWith("! ");
    }

    /** Reads a line and notes what it says; it is empty if the process has ended. */
    private String readLine(BufferedReader reader) throws IOException {
        var line = reader.readLine();
        if (line == null) {
            return "";
        }
        var parts = line.split(" ");
        if (isFailure(line)) {
            failures.add(line);
        } else if (parts.length == 2 && !parts[1].isEmpty()) {
            acknowledged.merge(parts[0], Long.parseLong(parts[1]), Math::max);
        }
        return line;
    }

    private void compare(String url, boolean isLast, String when) throws Exception {
        // Later than all times that the clocks of the processes have shown: what is late comes.
        var time = new JumpingTime(SystemTime.INSTANCE, KilledBank.FARTHEST.plusHours(1));
        try (var store = Flushing.open(url);
                var scope = ActorSystem.configure("bank").time(time).open()) {
            compareSchedules(store, scope, time, when);
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
                KilledBank.work(scope, store, accounts, time, lie);
                compareDone(KilledBank.works(store), accounts, when);
            }
        }
    }

    /** What was handed in is there. */
    private void compareWork(DurableQueue<Long> works, String when) throws Exception {
        for (var id : List.copyOf(acknowledged.keySet())) {
            if (id.startsWith("w") && handedIn.add(id)) {
                assertThat(works.receipt(id)).as("%s was handed in, %s", id, when).isPresent();
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
        assertThat(look(accounts, "early").cents()).as("work is done at its time, " + when).isZero();
        assertThat(look(accounts, "worked").cents()).as(when).isEqualTo(works.keys().count("w"))
                .isGreaterThanOrEqualTo(handedIn.size());
        assertThat(handedIn).isNotEmpty();
    }

    /** Each schedule that is set comes when its time is there, once, and has its next time then. */
    private void compareSchedules(DurableStore store, ActorScope scope, JumpingTime time, String when)
            throws Exception {
        var before = new HashMap<String, Ticks>();
        try (var past = ActorSystem.configure("past")
                .time(new JumpingTime(SystemTime.INSTANCE, Duration.ofDays(-1))).open()) {
            look(KilledBank.ticks(past, store, time, lie), before);
        }
        var late = new HashSet<String>();
        for (var key : before.keySet()) {
            if (!next(store, key, when).isAfter(time.clock().instant())) {
                late.add(key);
            }
        }
        var after = new HashMap<String, Ticks>();
        var ticks = KilledBank.ticks(scope, store, time, lie);
        for (var key : before.keySet()) {
            Waits.until(key + " is not late any more, " + when,
                    () -> next(store, key, when).isAfter(time.clock().instant()));
        }
        look(ticks, after);
        after.forEach((key, now) -> {
            assertThat(now.wrong()).as("%s, %s", key, when).isEmpty();
            assertThat(next(store, key, when)).as("the next time of %s, %s", key, when)
                    .isBeforeOrEqualTo(time.clock().instant().plus(Duration.ofMinutes(1)));
            assertThat(now.come()).as("%s has come since, %s", key, when)
                    .isGreaterThanOrEqualTo(before.get(key).come() + (late.contains(key) ? 1 : 0));
        });
    }

    /** Looks at the schedules that are set. */
    private static void look(KeyedActors<String, Tick, Ticks> ticks, Map<String, Ticks> found)
            throws Exception {
        for (var key : KilledBank.SCHEDULES.keySet()) {
            var now = Waits.on(ticks.sendMessageReturn(new Tick(key, Tick.Kind.LOOK)));
            if (now.set() > 0) {
                found.put(key, now);
            }
        }
    }

    private static Instant next(DurableStore store, String key, String when) {
        try {
            var next = store.read(journal -> journal.reminder(new Journal.Id("ticks", key), "tick"));
            assertThat(next).as("%s is set, %s", key, when).isPresent();
            return next.orElseThrow().at();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
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
                        .containsAnyOf("no such table", "does not exist", "doesn't exist");
                return false;
            }
        });
    }

    /** The next process goes on from what was written, acknowledged or not. */
    private void require(String account, long value, int uncertain, String when) {
        long least = acknowledged.getOrDefault(account, 0L);
        assertThat(value).as("%s: %s", account, when).isBetween(least,
                unbounded ? Long.MAX_VALUE : least + (long) uncertain * unknown);
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
