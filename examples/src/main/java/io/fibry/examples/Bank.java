package io.fibry.examples;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.Reply;
import io.fibry.StatefulActor;
import io.fibry.examples.Account.Balance;
import io.fibry.examples.Account.Deposit;
import io.fibry.examples.Account.Ledger;
import io.fibry.examples.Account.Order;
import io.fibry.examples.Account.Outcome;
import io.fibry.examples.frame.Options;
import io.fibry.work.Holding;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/**
 * A bank with many accounts. A transfer changes two of them in one step, while the actors of both are held. No other code
 * sees half a transfer, there is no lock to order, and transfers that run at the same time never wait in a cycle.
 */
public final class Bank {
    private final List<StatefulActor<Ledger, Order, Reply>> accounts;

    Bank(ActorScope scope, List<String> owners, long centsEach) {
        accounts = owners.stream().map(owner -> Account.open(scope, owner)).toList();
        accounts.forEach(account -> account.sendMessage(new Deposit(centsEach)));
    }

    /** Transfers money if the payer has enough. Returns the new balance of the payer, or why the transfer is refused. */
    Outcome transfer(int from, int to, long cents) throws ExecutionException, InterruptedException {
        var payer = accounts.get(from);
        var payee = accounts.get(to);
        return Holding.of(payer, payee).call(held -> {
            var outcome = held.state(payer).take(cents);
            if (outcome instanceof Balance) {
                held.state(payee).put(cents);
            }
            return outcome;
        });
    }

    /** Adds up all accounts while all of them are held, so that no transfer is in progress. */
    long audit() throws ExecutionException, InterruptedException {
        return Holding.of(accounts)
                .call(held -> accounts.stream().mapToLong(account -> held.state(account).cents()).sum());
    }

    /** Makes transfers between random accounts, one after the other. */
    private Void transferAtRandom(int times) throws ExecutionException, InterruptedException {
        var random = ThreadLocalRandom.current();
        for (int n = 0; n < times; n++) {
            int from = random.nextInt(accounts.size());
            int to = (from + 1 + random.nextInt(accounts.size() - 1)) % accounts.size();
            transfer(from, to, 1 + random.nextInt(500));
        }
        return null;
    }

    /**
     * Runs the example.
     *
     * @param args none
     * @throws InterruptedException if the thread is interrupted
     * @throws ExecutionException if a transfer fails
     */
    public static void main(String[] args) throws InterruptedException, ExecutionException {
        Options.read(args);
        try (var scope = ActorSystem.open("bank")) {
            var bank = new Bank(scope, List.of("ann", "bob"), 1_000);
            System.out.println("ann pays bob 300 of 1,000: " + bank.transfer(0, 1, 300));
            System.out.println("ann pays bob 800 of 700: " + bank.transfer(0, 1, 800));
        }
        try (var scope = ActorSystem.open("bank")) {
            var bank = new Bank(scope, IntStream.range(0, 20).mapToObj(i -> "customer-" + i).toList(), 1_000);
            var clients = IntStream.range(0, 8)
                    .mapToObj(i -> new FutureTask<>(() -> bank.transferAtRandom(500))).toList();
            clients.forEach(Thread::startVirtualThread);
            for (int audit = 0; audit < 100; audit++) {
                requireAll(bank.audit());
            }
            for (var client : clients) {
                client.get();
            }
            System.out.println(
                    "while 4,000 transfers were made, each of 100 audits found 20,000 cents in 20 accounts");
            System.out.printf("after that: %,d cents%n", bank.audit());
        }
    }

    private static void requireAll(long cents) {
        if (cents != 20_000) {
            throw new IllegalStateException("money is lost: there are " + cents + " cents, not 20,000");
        }
    }
}
