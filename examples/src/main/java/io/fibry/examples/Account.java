package io.fibry.examples;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.examples.frame.Options;

/** An account: one actor with a state of its own, several kinds of messages, and no lock. */
public final class Account {
    private Account() {
    }

    /** The orders that an account takes. */
    sealed interface Order {
    }

    record Deposit(long cents) implements Order {
    }

    record Withdraw(long cents) implements Order {
    }

    record ShowBalance() implements Order {
    }

    /** The answers of an account. */
    sealed interface Outcome {
    }

    record Balance(long cents) implements Outcome {
    }

    record Refused(String why) implements Outcome {
    }

    private static final class Ledger {
        private long cents;

        /** Handles an order. The compiler checks that no kind of order is forgotten. */
        Outcome handle(Order order) {
            switch (order) {
                case Deposit deposit -> cents += deposit.cents();
                case Withdraw withdraw when withdraw.cents() > cents -> {
                    return new Refused("only " + cents + " cents are there, not " + withdraw.cents());
                }
                case Withdraw withdraw -> cents -= withdraw.cents();
                case ShowBalance show -> {
                }
            }
            return new Balance(cents);
        }
    }

    static Actor<Order, Outcome> open(ActorScope scope, String owner) {
        return scope.named(owner).state(Ledger::new).newActorWithReturn(Ledger::handle);
    }

    /**
     * Runs the example.
     *
     * @param args none
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        Options.read(args);
        try (var scope = ActorScope.open("bank")) {
            var account = open(scope, "ann");
            var payers = new Thread[4];
            for (int i = 0; i < payers.length; i++) {
                payers[i] = Thread.startVirtualThread(() -> {
                    for (int n = 0; n < 1_000; n++) {
                        account.sendMessage(new Deposit(5));
                    }
                });
            }
            for (var payer : payers) {
                payer.join();
            }
            System.out.println("after 4,000 deposits: " + account.apply(new ShowBalance()));
            System.out.println("withdraw 15,000: " + account.apply(new Withdraw(15_000)));
            System.out.println("withdraw 15,000: " + account.apply(new Withdraw(15_000)));
        }
    }
}
