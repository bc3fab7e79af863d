package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.durable.Bank.Look;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a process that writes, at random moments, and compares what it has acknowledged with what the store has. Each
 * process goes on where the one before was killed, so the last one has the work of all of them.
 */
class KillTest {
    private static final int KILLS = Integer.getInteger("fibry.kills", 200);

    @TempDir
    private Path folder;

    @Test
    @Promise({"63.1", "63.5", "64.3", "66.1"})
    void nothingThatWasAcknowledgedIsLostByAKill() throws Exception {
        kill(8);
    }

    @Test
    @Tag("thorough")
    void nothingThatWasAcknowledgedIsLostByManyKills() throws Exception {
        kill(KILLS);
    }

    private void kill(int times) throws Exception {
        long seed = System.nanoTime();
        var random = new SplittableRandom(seed);
        var file = folder.resolve("bank.db");
        Map<String, Long> acknowledged = new HashMap<>();
        for (int i = 0; i < times; i++) {
            killed(file, random.nextInt(500), acknowledged);
            compare(file, acknowledged, "after " + (i + 1) + " kills, seed " + seed);
        }
    }

    /** Runs a process until it has acknowledged some more, the number being the moment, and kills it. */
    private static void killed(Path file, int lines, Map<String, Long> acknowledged) throws Exception {
        var process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "-cp",
                System.getProperty("java.class.path"), KilledBank.class.getName(), file.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (var reader = process.inputReader()) {
            read(reader, lines + 1, acknowledged);
            // That of the process itself would close the stream, and what was acknowledged last would not be read.
            process.toHandle().destroyForcibly();
            read(reader, Integer.MAX_VALUE, acknowledged);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private static void read(BufferedReader reader, int lines, Map<String, Long> acknowledged)
            throws IOException {
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

    private static void compare(Path file, Map<String, Long> acknowledged, String when) throws Exception {
        try (var store = DurableStore.open("file:" + file); var scope = ActorScope.open("bank")) {
            var accounts = Bank.open(scope, store);
            long sent = 0;
            for (int i = 0; i < KilledBank.ACCOUNTS; i++) {
                var account = "a" + i;
                var answer = Waits.on(accounts.sendMessageReturn(new Look(account)));
                assertThat(-answer.cents()).as("%s: %s", account, when)
                        .isBetween(acknowledged.getOrDefault(account, 0L),
                                acknowledged.getOrDefault(account, 0L) + 1);
                assertThat(answer.revision()).as("%s has no gap, %s", account, when)
                        .isEqualTo(-answer.cents());
                // What was written and not acknowledged is the next process's to go on from.
                acknowledged.put(account, -answer.cents());
                sent += -answer.cents();
            }
            var hot = Waits.on(accounts.sendMessageReturn(new Look("hot")));
            assertThat(hot.cents()).as("hot: %s", when).isBetween(acknowledged.getOrDefault("hot", 0L),
                    acknowledged.getOrDefault("hot", 0L) + KilledBank.HOT);
            assertThat(hot.revision()).as("hot has no gap, %s", when).isEqualTo(hot.cents());
            acknowledged.put("hot", hot.cents());
            long all = sent;
            Waits.until("what was sent has arrived, " + when, () -> sum(accounts) >= all);
            assertThat(sum(accounts)).as("each has arrived once, %s", when).isEqualTo(all);
        }
    }

    private static long sum(KeyedActors<String, Bank.Command, Bank.Answer> accounts) {
        try {
            return Waits.on(accounts.sendMessageReturn(new Look("sum"))).cents();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
