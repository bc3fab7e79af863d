package io.fibry.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
@ExtendWith(ThreadsLeft.class)
class PipelineTest {
    @TempDir
    private Path folder;
    @TempDir
    private Path out;

    private List<Path> files(int count, int lines) throws IOException {
        for (int i = 0; i < count; i++) {
            var text = new StringBuilder();
            for (int line = 0; line < lines; line++) {
                text.append("shop ").append(line % 7).append(';').append(i * 31 + line).append('\n');
            }
            Files.writeString(folder.resolve("f" + i), text);
        }
        return Pipeline.filesIn(folder);
    }

    @Test
    void theSumsAreThoseOfAPlainLoop() throws Exception {
        var files = files(30, 12_345); // more than two pieces each
        var expected = new TreeMap<String, Long>();
        for (var file : files) {
            for (var line : Files.readAllLines(file)) {
                expected.merge(line.substring(0, 6), Long.parseLong(line.substring(7)), Long::sum);
            }
        }
        var progress = new ArrayList<Integer>();

        assertThat(new SalesPipeline(progress::add).run(files, out.resolve("sums"))).isTrue();

        assertThat(Files.readAllLines(out.resolve("sums")))
                .isEqualTo(expected.entrySet().stream().map(sum -> sum.getKey() + ";" + sum.getValue())
                        .toList());
        assertThat(progress).hasSize(30).isSorted().endsWith(30);
    }

    @Test
    void aBadLineIsNamedAndNothingIsWritten() throws Exception {
        var files = files(5, 6_000);
        Files.writeString(files.get(3), "shop 1;7\n".repeat(5_500) + "shop 2;many\n");

        assertThatThrownBy(() -> new SalesPipeline(done -> {
        }).run(files, out.resolve("sums"))).isInstanceOf(IOException.class)
                .hasMessage(files.get(3) + ", line 5501 is not SHOP;CENTS: 'shop 2;many'");

        assertThat(out).isEmptyDirectory();
    }

    @Test
    void aFileThatCannotBeReadEndsTheWork() throws Exception {
        var files = new ArrayList<>(files(3, 10));
        files.add(1, folder.resolve("gone"));

        assertThatThrownBy(() -> new SalesPipeline(done -> {
        }).run(files, out.resolve("sums"))).isInstanceOf(IOException.class).hasMessageContaining("gone");

        assertThat(out).isEmptyDirectory();
    }

    /** The adder stands still, so all stages are full and wait for each other when the cancel comes. */
    @Test
    void aCancelInTheMiddleEndsAllStagesAndWritesNothing() throws Exception {
        var files = files(200, 100);
        var started = new CountDownLatch(1);
        var cancelled = new CountDownLatch(1);
        var seen = new ArrayList<Integer>();
        var pipeline = new SalesPipeline(done -> {
            seen.add(done);
            started.countDown();
            await(cancelled);
        });
        var result = CompletableFuture.supplyAsync(() -> run(pipeline, files));

        started.await();
        pipeline.cancel();
        cancelled.countDown();

        assertThat(result.get()).isFalse();
        assertThat(seen).containsExactly(1);
        assertThat(out).isEmptyDirectory();
    }

    private boolean run(SalesPipeline pipeline, List<Path> files) {
        try {
            return pipeline.run(files, out.resolve("sums"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
