package io.fibry.bench.durable;

import java.sql.SQLException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** A bank that begins again: its accounts are in the store, and their actors have to read them. */
public final class Restart {
    private static final int CALLERS = 1_000;

    private final String bank;
    private final int accounts;
    private final int depositsEach;

    private Restart(String bank, int accounts, int depositsEach) {
        this.bank = bank;
        this.accounts = accounts;
        this.depositsEach = depositsEach;
    }

    /**
     * Fills a bank.
     *
     * @param engine the database
     * @param accounts the number of accounts
     * @param depositsEach how many deposits each of them has
     * @return what begins again
     * @throws SQLException if the database fails
     * @throws InterruptedException if the thread was interrupted
     * @throws ExecutionException if a deposit has failed
     */
    public static Restart of(StoreEngine engine, int accounts, int depositsEach)
            throws SQLException, InterruptedException, ExecutionException {
        var bank = engine.newBank();
        try (var actors = new ActorAccounts(bank, false);
                var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var done : executor
                    .invokeAll(IntStream.range(0, CALLERS).<Callable<Integer>>mapToObj(caller -> () -> {
                        for (long account = caller; account < accounts; account += CALLERS) {
                            for (int i = 0; i < depositsEach; i++) {
                                actors.deposit(account);
                            }
                        }
                        return caller;
                    }).toList())) {
                done.get();
            }
        }
        return new Restart(bank, accounts, depositsEach);
    }

    /**
     * Opens the bank, and asks some accounts at the same time.
     *
     * @param many how many
     * @return how many milliseconds it took until all had answered
     */
    public double millisUntilAnswered(int many) {
        long begin = System.nanoTime();
        try (var actors = new ActorAccounts(bank, false)) {
            var answers = LongStream.range(0, many).mapToObj(actors::balance).toList();
            CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new)).join();
            double millis = (System.nanoTime() - begin) / 1e6;
            for (var answer : answers) {
                if (answer.join() != depositsEach) {
                    throw new AssertionError(
                            "an account has %,d deposits, not %,d".formatted(answer.join(), depositsEach));
                }
            }
            return millis;
        }
    }

    /**
     * Returns the number of accounts.
     *
     * @return the number
     */
    public int accounts() {
        return accounts;
    }
}
