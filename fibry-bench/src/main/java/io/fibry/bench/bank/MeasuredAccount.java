package io.fibry.bench.bank;

/** What an account has. It is not thread-safe: code that uses it holds the actor or the lock of the account. */
final class MeasuredAccount {
    static final long AT_START = 1_000;

    private long cents = AT_START;
    private long payments;

    void pay(long amount) {
        cents -= amount;
        payments++;
    }

    void receive(long amount) {
        cents += amount;
    }

    Books books() {
        return new Books(cents - AT_START, payments);
    }
}
