package io.fibry.bench.bank;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A bank that makes each transfer in a virtual thread of its own, as held actors make it in an actor. */
public final class OwnThreads implements MeasuredBank {
    private final MeasuredBank bank;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    /**
     * Makes the bank.
     *
     * @param bank makes the transfers
     */
    public OwnThreads(MeasuredBank bank) {
        this.bank = bank;
    }

    @Override
    public boolean transfer(int from, int to, long cents) throws ExecutionException, InterruptedException {
        return threads.submit(() -> bank.transfer(from, to, cents)).get();
    }

    @Override
    public Books books() throws ExecutionException, InterruptedException {
        return bank.books();
    }

    @Override
    public void close() {
        threads.close();
        bank.close();
    }
}
