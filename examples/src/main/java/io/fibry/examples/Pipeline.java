package io.fibry.examples;

import io.fibry.examples.frame.Option;
import io.fibry.examples.frame.Options;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/** Reads, parses and sums files in a terminal. {@link SalesPipeline} has the actors. */
public final class Pipeline {
    private static final int WIDTH = 40;
    private static final String[] SHOPS =
            {"Bergen", "Cork", "Gent", "Lviv", "Porto", "Riga", "Torino", "Turku"};

    private Pipeline() {
    }

    /**
     * Sums files, with a progress bar. Ctrl-C cancels the work.
     *
     * @param args see {@code --help}
     * @throws IOException if files cannot be read or written
     */
    public static void main(String[] args) throws IOException {
        var options = Options.read(args,
                new Option("--folder", "", "files with lines SHOP;CENTS; without it some are made"),
                new Option("--files", "400", "how many to make"),
                new Option("--lines", "20_000", "how many lines each"),
                new Option("--out", "target/sales.csv", "where the sums go"));
        var folder = options.text("--folder").isEmpty()
                ? samples(options.number("--files", 1, 100_000), options.number("--lines", 1, 1_000_000))
                : Path.of(options.text("--folder"));
        if (!Files.isDirectory(folder)) {
            throw options.wrong("there is no folder " + folder.toAbsolutePath());
        }
        run(filesIn(folder), Path.of(options.text("--out")).toAbsolutePath());
    }

    private static void run(List<Path> files, Path out) throws IOException {
        Files.createDirectories(out.getParent());
        var ended = new CountDownLatch(1);
        var pipeline = new SalesPipeline(done -> draw(done, files.size()));
        // Ctrl-C runs this code, which cancels the work and lets main clean up.
        var ctrlC = new Thread(() -> {
            pipeline.cancel();
            try {
                ended.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        Runtime.getRuntime().addShutdownHook(ctrlC);
        try {
            long start = System.nanoTime();
            if (pipeline.run(files, out)) {
                System.out.printf("%n%d files in %,d ms; the sums are in %s:%n%s", files.size(),
                        (System.nanoTime() - start) / 1_000_000, out, Files.readString(out));
            } else {
                System.out.printf("%ncancelled; nothing was written to %s%n", out);
            }
        } finally {
            ended.countDown();
        }
    }

    private static void draw(int done, int all) {
        int filled = (int) ((long) WIDTH * done / all);
        System.out.printf("\r[%s%s] %3d %%  %d of %d files", "#".repeat(filled), ".".repeat(WIDTH - filled),
                100L * done / all, done, all);
        System.out.flush();
    }

    static List<Path> filesIn(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    /** Makes the files to sum, with the same content every time. */
    static Path samples(int files, int lines) throws IOException {
        var folder = Files.createDirectories(Path.of("target", "sales-" + files + "x" + lines));
        System.out.printf("making %d files of %d lines in %s%n", files, lines, folder.toAbsolutePath());
        for (int i = 0; i < files; i++) {
            var random = new Random(i);
            Files.write(folder.resolve("sales-%05d.csv".formatted(i)), IntStream.range(0, lines)
                    .mapToObj(line -> SHOPS[random.nextInt(SHOPS.length)] + ";" + random.nextInt(10_000))
                    .toList());
        }
        return folder;
    }
}
