package io.fibry.bench;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * A mix of reads and computations. The number of each stays the same at any time, since each one starts the next one of
 * its kind when it ends. The mix ends with the last read. Used once.
 */
final class ReadMix {
    private static final Computation WORK = Computation.of(50);
    private static final int SECONDS = 60;

    private final ReadFiles files;
    private final Executor forReads;
    private final Executor forWork;
    private final int reads;
    private final AtomicInteger started = new AtomicInteger();
    private final AtomicInteger read = new AtomicInteger();
    private final AtomicInteger computed = new AtomicInteger();
    private final CompletableFuture<Integer> computedMeanwhile = new CompletableFuture<>();
    private final Phaser underWay = new Phaser(1);

    ReadMix(ReadFiles files, Executor forReads, Executor forWork, int reads) {
        this.files = files;
        this.forReads = forReads;
        this.forWork = forWork;
        this.reads = reads;
    }

    /** Runs the mix. Returns how much was computed until the last read ended. */
    int run(int readsAtOnce, int atOnce) throws InterruptedException, ExecutionException, TimeoutException {
        IntStream.range(0, atOnce).forEach(i -> start(i < readsAtOnce));
        var found = computedMeanwhile.get(SECONDS, TimeUnit.SECONDS);
        underWay.awaitAdvanceInterruptibly(underWay.arrive(), SECONDS, TimeUnit.SECONDS);
        if (read.get() != reads) {
            throw new AssertionError("%d reads ended, not %d".formatted(read.get(), reads));
        }
        return Math.max(1, found);
    }

    private void start(boolean isRead) {
        int number = isRead ? started.getAndIncrement() : 0;
        if (computedMeanwhile.isDone() || number >= reads) {
            return;
        }
        underWay.register();
        (isRead ? forReads : forWork).execute(() -> {
            try {
                if (isRead) {
                    readOne(number);
                } else {
                    WORK.run();
                    computed.incrementAndGet();
                }
                start(isRead);
            } catch (Throwable failure) {
                computedMeanwhile.completeExceptionally(failure);
            } finally {
                underWay.arriveAndDeregister();
            }
        });
    }

    private void readOne(int number) throws Exception {
        files.read(number);
        if (read.incrementAndGet() == reads) {
            computedMeanwhile.complete(computed.get());
        }
    }
}
