package io.fibry.examples;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.Reply;
import io.fibry.Request;
import io.fibry.StatefulActor;
import io.fibry.examples.frame.Options;
import java.util.concurrent.ExecutionException;

/** An account: one actor with a state of its own, several kinds of messages, each with its own answer, and no lock. */
public final class Account {
    private Account() {
    }

    /** The orders that an account takes. Those that are requests name the type of their answer. */
    sealed interface Order {
    }

    record Deposit(long cents) implements Order {
    }

    record Withdraw(long cents) implements Order, Request<Outcome> {
    }

    record ShowBalance() implements Order, Request<Balance> {
    }

    /** The answers to a withdrawal. */
    sealed interface Outcome {
    }

    record Balance(long cents) implements Outcome {
    }

    record Refused(String why) implements Outcome {
    }

    /** The state of an account. Only code that runs in its actor, or while its actor is held, uses it. */
    static final class Ledger {
        private long cents;

        long cents() {
            return cents;
        }

        void put(long more) {
            cents += more;
        }

        /** Handles an order. The compiler checks that no kind of order is forgotten, and the type of each reply. */
        Reply handle(Order order) {
            return switch (order) {
                case Deposit deposit -> {
                    put(deposit.cents());
                    yield Reply.none();
                }
                case Withdraw withdraw -> withdraw.reply(take(withdraw.cents()));
                case ShowBalance show -> show.reply(new Balance(cents));
            };
        }

        /** Takes money out, or refuses if there is not enough. */
        Outcome take(long wanted) {
            if (wanted > cents) {
                return new Refused("only " + cents + " cents are there, not " + wanted);
            }
            cents -= wanted;
            return new Balance(cents);
        }
    }

    static StatefulActor<Ledger, Order, Reply> open(ActorScope scope, String owner) {
        return scope.named(owner).state(Ledger::new).newActorWithReturn(Ledger::handle);
    }

    /**
     * Runs the example.
     *
     * @param args none
     * @throws InterruptedException if the thread is interrupted
     * @throws ExecutionException if the account gives no answer
     */
    public static void main(String[] args) throws InterruptedException, ExecutionException {
        Options.read(args);
        try (var scope = ActorSystem.open("bank")) {
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
            System.out.println("after 4,000 deposits: " + account.requestWait(new ShowBalance()));
            System.out.println("withdraw 15,000: " + account.requestWait(new Withdraw(15_000)));
            System.out.println("withdraw 15,000: " + account.requestWait(new Withdraw(15_000)));
        }
    }
}
