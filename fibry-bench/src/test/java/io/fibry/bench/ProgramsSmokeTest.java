package io.fibry.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The experiments about time, threads and programs. */
class ProgramsSmokeTest extends Smoke {
    @Override
    List<String> names() {
        return ofPrograms();
    }

    @Test
    void allOfManyActorsAreAliveAndAnswer() throws Exception {
        var results = medians("hundred-million");

        assertThat(results).containsEntry("alive in 256m, Fibry, fibers", 0.02)
                .containsEntry("asked, all of which answered, Fibry, fibers", 5_000.0);
        assertThat(results.get("each of them, Fibry, fibers")).isBetween(24.0, 100.0);
    }
}
