package io.fibry.bench.bank;

import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

/** Each account has a lock. A transfer takes the locks of both accounts, that of the lower number first. */
public final class LockedBank implements MeasuredBank {
    private record Locked(ReentrantLock lock, MeasuredAccount account) {
    }

    private final List<Locked> accounts;

    /**
     * Makes the bank.
     *
     * @param many the number of accounts
     */
    public LockedBank(int many) {
        accounts =
                IntStream.range(0, many).mapToObj(i -> new Locked(new ReentrantLock(), new MeasuredAccount()))
                        .toList();
    }

    @Override
    public boolean transfer(int from, int to, long cents) {
        var first = accounts.get(Math.min(from, to)).lock;
        var second = accounts.get(Math.max(from, to)).lock;
        first.lock();
        try {
            second.lock();
            try {
                accounts.get(from).account.pay(cents);
                accounts.get(to).account.receive(cents);
            } finally {
                second.unlock();
            }
        } finally {
            first.unlock();
        }
        return true;
    }

    @Override
    public Books books() {
        return accounts.stream().map(LockedBank::books).reduce(Books.EMPTY, Books::plus);
    }

    private static Books books(Locked locked) {
        locked.lock.lock();
        try {
            return locked.account.books();
        } finally {
            locked.lock.unlock();
        }
    }

    @Override
    public void close() {
        // nothing runs
    }
}
