package io.fibry.cluster.infinispan;

import io.fibry.cluster.trial.SharedFaults;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 2, unit = TimeUnit.HOURS)
class SharedFaultsTest {
    @TempDir
    private Path folder;

    @Test
    @Tag("thorough")
    void manyFaultsOfSharedActors() throws Exception {
        try (var nodes = Ports.nodes(folder, 4)) {
            SharedFaults.many(nodes);
        }
    }
}
