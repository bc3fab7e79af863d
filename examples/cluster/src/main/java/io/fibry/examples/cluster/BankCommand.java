package io.fibry.examples.cluster;

/** What an account is asked for. The answer is its {@link Balance}. */
sealed interface BankCommand {
    int account();

    record Deposit(int account, long cents) implements BankCommand {
    }

    record Look(int account) implements BankCommand {
    }
}
