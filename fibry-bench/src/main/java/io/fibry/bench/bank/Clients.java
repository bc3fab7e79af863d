package io.fibry.bench.bank;

import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

/**
 * Clients of a bank. Each is a virtual thread that makes one transfer after another, between two random accounts.
 *
 * @param many how many clients there are, and so how many transfers are in flight
 * @param each how many transfers each of them makes
 */
public record Clients(int many, int each) {
    private static final long SEED = 42;
    private static final int MOST_CENTS = 100;

    /**
     * What the clients have done.
     *
     * @param made the number of transfers made
     * @param refused the number of transfers refused, because they would have waited for themselves
     * @param seconds how long all of them took
     */
    public record Done(long made, long refused, double seconds) {
    }

    /**
     * Lets all clients make their transfers, and checks the books of the bank.
     *
     * @param bank a new bank
     * @param accounts how many accounts it has, at least two
     * @return what was done
     * @throws ExecutionException if a transfer failed
     * @throws InterruptedException if the calling thread was interrupted
     * @throws AssertionError if money or a transfer was lost
     */
    public Done use(MeasuredBank bank, int accounts) throws ExecutionException, InterruptedException {
        long made = 0;
        var start = System.nanoTime();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var all = IntStream.range(0, many)
                    .<Callable<Long>>mapToObj(client -> () -> make(bank, accounts, client))
                    .toList();
            for (var running : threads.invokeAll(all)) {
                made += running.get();
            }
        }
        var seconds = (System.nanoTime() - start) / 1e9;
        var books = bank.books();
        if (!books.equals(new Books(0, made))) {
            throw new AssertionError("%,d transfers were made, but the accounts have %s"
                    .formatted(made, books));
        }
        return new Done(made, (long) many * each - made, seconds);
    }

    /** Makes the transfers of one client. Returns how many were not refused. */
    private long make(MeasuredBank bank, int accounts, int client)
            throws ExecutionException, InterruptedException {
        var random = new SplittableRandom(SEED + client);
        long made = 0;
        for (int i = 0; i < each; i++) {
            int from = random.nextInt(accounts);
            int to = (from + 1 + random.nextInt(accounts - 1)) % accounts;
            if (bank.transfer(from, to, 1 + random.nextInt(MOST_CENTS))) {
                made++;
            }
        }
        return made;
    }
}
