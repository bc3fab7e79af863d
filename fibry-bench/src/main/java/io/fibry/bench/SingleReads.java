package io.fibry.bench;

import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import kotlinx.coroutines.Dispatchers;

/** Measures reads of a file, one after another: by code that blocks, in several places, and by calls back. */
final class SingleReads implements Experiment {
    @Override
    public String name() {
        return "single-reads";
    }

    @Override
    public String what() {
        return "reads of a file of 64 KiB, one after another: blocking, handed on, and by AsynchronousFileChannel";
    }

    @Override
    public String checks() {
        return "the checksum of each read, and how many bytes were read";
    }

    @Override
    public Duration quickTime() {
        return Duration.ofSeconds(4);
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        int reads = settings.count(2_000, 200, 8);
        var number = new AtomicInteger();
        try (var files = new ReadFiles(); var ways = new HandOver()) {
            report.note(files.how());
            Callable<Integer> read = () -> {
                files.read(number.getAndIncrement());
                return ReadFiles.BYTES;
            };
            Callable<CompletableFuture<Integer>> later = () -> files.readLater(number.getAndIncrement());
            var lines = new ArrayList<>(
                    ways.lines("", reads, read, ReadFiles.BYTES, Dispatchers.getIO()));
            lines.add(HandOver.line("", "AsynchronousFileChannel, CompletableFuture", reads, read,
                    ReadFiles.BYTES, (times, blocking) -> sum(times, later)));
            lines.add(HandOver.line("", "Kotlin, AsynchronousFileChannel, await", reads, read,
                    ReadFiles.BYTES, (times, blocking) -> Coroutines.awaitLater(times, later)));
            new Turns(Unit.lower("µs"), settings.pick(3, 1, 0), settings.pick(15, 2, 1)).run(lines, settings,
                    report);
        }
    }

    private static long sum(int times, Callable<CompletableFuture<Integer>> later) throws Exception {
        var sum = 0L;
        for (int i = 0; i < times; i++) {
            sum += later.call().get();
        }
        return sum;
    }
}
