package io.fibry.bench.bank;

/**
 * What has changed in some accounts.
 *
 * @param cents how much money came in, less what went out; zero for all accounts of a bank
 * @param payments how many transfers were paid
 */
public record Books(long cents, long payments) {
    static final Books EMPTY = new Books(0, 0);

    Books plus(Books more) {
        return new Books(cents + more.cents, payments + more.payments);
    }
}
