package io.fibry.cluster.trial;

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

    @Test
    @Tag("thorough")
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void manyFaults() throws Exception {
        try (var nodes = nodes()) {
            SharedFaults.many(nodes);
        }
    }
}
