package io.fibry.cluster.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.Promise;
import io.fibry.testing.SourceMutant;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that have a file of SQLite in common. */
class SqliteTrialTest {
    @TempDir
    private Path folder;

    private SharedNodes nodes() {
        return new SharedNodes(folder, Map.of("FIBRY_CLUSTER", "file:" + folder.resolve("cluster.db")));
    }

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void eachFaultOnce() throws Exception {
        try (var nodes = nodes()) {
            SharedFaults.run(nodes, new Random(2), List.of(SharedFaults.Fault.values()));
        }
    }

    /** A file, which nobody is cut off from alone. */
    private final class SqliteStore implements EffectTrial.Store {
        @Override
        public String url() {
            return "file:" + folder.resolve("effects.db");
        }

        @Override
        public String url(String node) {
            return url();
        }

        @Override
        public boolean cut(String node, boolean isCut) {
            return false;
        }

        /** Somebody has the lock of the file. */
        @Override
        public void away(long millis) throws Exception {
            try (var connection = EffectNode.connect(url()); var statement = connection.createStatement()) {
                statement.execute("PRAGMA busy_timeout=30000");
                statement.execute("BEGIN IMMEDIATE");
                TimeUnit.MILLISECONDS.sleep(millis);
                statement.execute("ROLLBACK");
            }
        }

        @Override
        public boolean stop() {
            return false;
        }

        @Override
        public void close() {
            // The folder is removed.
        }
    }

    @Promise({"92.1", "92.2", "92.3"})
    @Test
    @Tag("thorough")
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void effectsOutliveFaults() throws Exception {
        EffectTrial.run(folder, new SqliteStore(), 4);
    }

    @Test
    @Tag("thorough")
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void effectsOutliveManyFaults() throws Exception {
        EffectTrial.run(folder, new SqliteStore(), 200);
    }

    /** The checker is worth something: without the fence, a turn that was frozen writes behind the next home. */
    @Test
    @Tag("thorough")
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void effectsWithoutAFenceAreFound() throws Exception {
        assertThat(EffectTrial.freezes(folder, new SqliteStore(), false, List.of()))
                .anyMatch(each -> each.startsWith("of two homes"));
    }

    @Test
    @Tag("thorough")
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void aGateThatIsOffIsFound() throws Exception {
        assertFindsLateTurns(new SourceMutant("gate-is-open-without-a-lease",
                Path.of("src/main/java/io/fibry/cluster/HostedGroup.java"), "keys.gate(serves);",
                "keys.gate(() -> true);", SqliteTrialTest.class, "none"));
    }

    @Test
    @Tag("thorough")
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void aLeaseThatOverrunsIsFound() throws Exception {
        assertFindsLateTurns(new SourceMutant("lease-overruns",
                Path.of("src/main/java/io/fibry/cluster/database/Lease.java"),
                "length.toNanos() / MARGIN;", "length.toNanos() / MARGIN + 600_000_000_000L;",
                SqliteTrialTest.class, "none"));
    }

    private void assertFindsLateTurns(SourceMutant mutant) throws Exception {
        var mistaken = Files.createDirectory(folder.resolve("mistaken"));
        mutant.compile(mistaken);
        assertThat(EffectTrial.freezes(folder, new SqliteStore(), true,
                List.of("-cp", mistaken + File.pathSeparator + System.getProperty("java.class.path"))))
                .anyMatch(each -> each.startsWith("begun late"));
    }

    @Test
    @Tag("thorough")
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void manyFaults() throws Exception {
        try (var nodes = nodes()) {
            SharedFaults.many(nodes);
        }
    }
}
