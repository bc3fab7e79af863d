package io.fibry.bench.bank;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.StatefulActor;
import io.fibry.work.Holding;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;

/** A transfer is code that runs while the actors of both accounts are held. */
public final class HeldBank implements MeasuredBank {
    private final ActorScope scope = ActorSystem.open("held-bank");
    private final List<StatefulActor<MeasuredAccount, Long, Void>> accounts;

    /**
     * Makes the bank.
     *
     * @param many the number of accounts
     */
    public HeldBank(int many) {
        accounts = IntStream.range(0, many)
                .mapToObj(
                        i -> scope.anonymous().state(MeasuredAccount::new).newActor(MeasuredAccount::receive))
                .toList();
    }

    @Override
    public boolean transfer(int from, int to, long cents) throws ExecutionException, InterruptedException {
        var payer = accounts.get(from);
        var payee = accounts.get(to);
        Holding.of(payer, payee).run(held -> {
            held.state(payer).pay(cents);
            held.state(payee).receive(cents);
        });
        return true;
    }

    @Override
    public Books books() throws ExecutionException, InterruptedException {
        var books = Books.EMPTY;
        for (var account : accounts) { // more of them than can be held one inside the other; no transfer is in progress
            books = books.plus(account.execFutureWithState(MeasuredAccount::books).get());
        }
        return books;
    }

    @Override
    public void close() {
        scope.close();
    }
}
