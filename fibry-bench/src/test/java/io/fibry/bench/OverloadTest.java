package io.fibry.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.bench.Settings.Size;
import io.fibry.bench.orders.NoPostgres;
import io.fibry.bench.report.Machine;
import io.fibry.bench.report.Report;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OverloadTest {
    @TempDir
    Path logs;

    @Test
    void withoutPostgresItRunsOnAnEmbeddedDatabaseAndItsResultSaysSo() throws Exception {
        var report = new Report(Machine.here(), new PrintStream(OutputStream.nullOutputStream()));
        new Overload(work -> NoPostgres.start(work, "not for this machine"))
                .run(new Settings(Size.SMOKE, OptionalLong.empty(), logs), report);

        assertThat(report.rows()).hasSizeGreaterThan(6);
        assertThat(report.notes()).anySatisfy(note -> assertThat(note).contains("not for this machine"))
                .anySatisfy(note -> assertThat(note).startsWith("H2 2.").contains("started for this"));
    }
}
