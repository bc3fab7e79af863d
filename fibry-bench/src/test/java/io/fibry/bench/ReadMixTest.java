package io.fibry.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReadMixTest {
    private static final int READS = 100;

    private ReadFiles files;

    @BeforeEach
    void makeFiles() throws IOException {
        files = new ReadFiles();
    }

    @AfterEach
    void deleteFiles() throws IOException {
        files.close();
    }

    private static Executor counting(Executor executor, AtomicInteger count) {
        return task -> {
            count.incrementAndGet();
            executor.execute(task);
        };
    }

    @Test
    void thereAreAsManyReadsAsWantedAndComputationsUntilTheLastOfThem() throws Exception {
        var reads = new AtomicInteger();
        var work = new AtomicInteger();
        try (var threads = Executors.newFixedThreadPool(4)) {
            int computed =
                    new ReadMix(files, counting(threads, reads), counting(threads, work), READS).run(4, 8);

            assertThat(reads).hasValue(READS);
            assertThat(computed).isBetween(1, work.get());
        }
    }

    @Test
    void aFileWithOtherContentFails() throws Exception {
        var bytes = Files.readAllBytes(files.file(3));
        bytes[bytes.length / 2]++;
        Files.write(files.file(3), bytes);
        try (var threads = Executors.newFixedThreadPool(2)) {
            var mix = new ReadMix(files, threads, threads, READS);

            assertThatThrownBy(() -> mix.run(4, 8)).hasRootCauseInstanceOf(IOException.class)
                    .hasMessageContaining("file-3 has the checksum");
        }
    }

    @Test
    void aTaskThatIsRefusedFails() {
        Executor refusing = task -> {
            throw new RejectedExecutionException("full");
        };

        assertThatThrownBy(() -> new ReadMix(files, refusing, refusing, READS).run(1, 2))
                .isInstanceOf(RejectedExecutionException.class);
    }
}
