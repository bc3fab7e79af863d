package io.fibry.cluster.infinispan;

import io.fibry.cluster.trial.DurableFaults;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("thorough")
@Timeout(value = 6, unit = TimeUnit.MINUTES)
class DurableProcessesTest {
    @TempDir
    private Path folder;

    @Test
    void eachAccountHasWhatWasAcknowledgedThoughNodesAreKilledAndFrozen() throws Exception {
        var ports = Ports.free(3);
        var hosts = String.join(",", ports.stream().map(each -> "127.0.0.1:" + each).toList());
        try (var server = EmbeddedPostgres.builder().setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on").start();
                var faults = new DurableFaults(folder, server.getJdbcUrl("postgres", "postgres"),
                        name -> Map.of("FIBRY_CLUSTER", hosts, "FIBRY_PORT",
                                "" + ports.get("abc".indexOf(name))))) {
            faults.run(3);
        }
    }
}
