package io.fibry.cluster.trial;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that have a database of PostgreSQL in common. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class PostgresTrialTest {
    private static EmbeddedPostgres server;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() throws Exception {
        server = EmbeddedPostgres.builder().setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on").start();
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    private static Map<String, String> environment(String cluster) {
        return Map.of("FIBRY_CLUSTER", server.getJdbcUrl("postgres", "postgres"), "FIBRY_CLUSTER_NAME",
                cluster);
    }

    @Test
    void eachFaultOnce() throws Exception {
        try (var nodes = new SharedNodes(folder, environment("shared"))) {
            SharedFaults.run(nodes, new Random(3), List.of(SharedFaults.Fault.values()));
        }
    }

    @Test
    void eachAccountHasWhatWasAcknowledged() throws Exception {
        try (var faults = new DurableFaults(folder, server.getJdbcUrl("postgres", "postgres"),
                name -> environment("durable"))) {
            faults.run(2);
        }
    }

    @Test
    @Tag("thorough")
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void manyFaults() throws Exception {
        try (var nodes = new SharedNodes(folder, environment("many"))) {
            SharedFaults.many(nodes);
        }
    }
}
