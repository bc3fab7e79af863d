package io.fibry.examples;

import io.fibry.ActorException;
import io.fibry.ActorSystem;
import io.fibry.flow.FlowOptions;
import io.fibry.flow.Flows;
import io.fibry.flow.Generator;
import io.fibry.flow.GeneratorOutput;
import io.fibry.flow.PipelineRun;
import io.fibry.flow.StageOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.IntConsumer;
import java.util.stream.Collector;

/**
 * Sums the sales in many files by shop. A generator reads the files in a plain loop, one stage parses pieces of them side by
 * side, and a collector adds up.
 *
 * <p>A stage that is behind makes the stage in front of it wait, and then the loop that reads, so a thousand files need no
 * more memory than ten, and no code is written for that. The first failure ends all stages, and so does a cancel: each
 * comes to the end of the piece that it works on.
 */
final class SalesPipeline {
    private static final int LINES = 5_000;
    private static final int PIECES = 8;

    /** Some lines of a file. */
    record Piece(Path file, int firstLine, List<String> lines, boolean last) {
    }

    /** The cents of each shop in a piece. */
    private record Sums(Map<String, Long> cents, boolean last) {
    }

    /** What was added up. The collector is called by one thread at a time. */
    private static final class Totals {
        private final Map<String, Long> cents = new TreeMap<>();
        private int files;
    }

    private final IntConsumer fileDone;
    private final CompletableFuture<PipelineRun<Totals>> running = new CompletableFuture<>();

    /**
     * Makes a pipeline that does not run yet.
     *
     * @param fileDone gets the number of files that are done, from one thread at a time
     */
    SalesPipeline(IntConsumer fileDone) {
        this.fileDone = fileDone;
    }

    private static void read(List<Path> files, GeneratorOutput<Piece> output) throws IOException {
        for (var file : files) {
            try (var lines = Files.newBufferedReader(file)) {
                var some = new ArrayList<String>();
                int first = 1;
                for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                    some.add(line);
                    if (some.size() == LINES) {
                        output.yield(new Piece(file, first, some, false)); // waits if the parsers are behind
                        first += LINES;
                        some = new ArrayList<>();
                    }
                }
                output.yield(new Piece(file, first, some, true));
            }
        }
    }

    private static Sums sums(Piece piece) {
        var cents = new TreeMap<String, Long>();
        for (int i = 0; i < piece.lines().size(); i++) {
            var parts = piece.lines().get(i).split(";", -1);
            try {
                cents.merge(parts[0], Long.parseLong(parts[1]), Long::sum);
            } catch (NumberFormatException | IndexOutOfBoundsException e) {
                throw new IllegalArgumentException(
                        "%s, line %d is not SHOP;CENTS: '%s'".formatted(piece.file(),
                                piece.firstLine() + i, piece.lines().get(i)),
                        e);
            }
        }
        return new Sums(cents, piece.last());
    }

    private void add(Totals totals, Sums sums) {
        sums.cents.forEach((shop, more) -> totals.cents.merge(shop, more, Long::sum));
        if (sums.last) {
            fileDone.accept(++totals.files);
        }
    }

    private static Totals onlyOne(Totals one, Totals other) {
        throw new AssertionError("a pipeline adds up in one place");
    }

    /** Ends the work. Each stage finishes its current piece, and discards the rest. */
    void cancel() {
        running.thenAccept(PipelineRun::cancel);
    }

    /**
     * Sums the files and writes the whole result, or nothing.
     *
     * @param files the files to read
     * @param result the file for the result
     * @return true if it was written, false if the work was cancelled
     * @throws IOException if a file cannot be read or is malformed, or if the result cannot be written
     */
    boolean run(List<Path> files, Path result) throws IOException {
        try (var scope = ActorSystem.open("sales");
                var pieces = Generator.<Piece>open(scope, "reader", FlowOptions.capacity(PIECES),
                        output -> {
                            running.get(); // from here on a cancel ends what is read
                            read(files, output);
                        })) {
            var started = Flows.pipeline(scope, "sales", pieces)
                    .then(SalesPipeline::sums,
                            StageOptions.parallel(Runtime.getRuntime().availableProcessors()))
                    .collect(Collector.of(Totals::new, this::add, SalesPipeline::onlyOne));
            running.complete(started);
            write(started.result().get().cents, result);
            return true;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof CancellationException) {
                return false;
            }
            throw failure(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while files were summed", e);
        }
    }

    private static IOException failure(Throwable thrown) {
        var cause = thrown instanceof ActorException ? thrown.getCause() : thrown;
        return cause instanceof IOException unreadable ? unreadable
                : new IOException(cause.getMessage(), cause);
    }

    private static void write(Map<String, Long> sums, Path result) throws IOException {
        var part = result.resolveSibling(result.getFileName() + ".part");
        try {
            Files.write(part,
                    sums.entrySet().stream().map(sum -> sum.getKey() + ";" + sum.getValue()).toList());
            Files.move(part, result, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(part);
        }
    }
}
