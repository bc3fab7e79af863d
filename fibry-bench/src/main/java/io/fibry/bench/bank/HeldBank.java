package io.fibry.bench.bank;

import io.fibry.ActorSystem;
import io.fibry.ActorScope;
import io.fibry.Actors;
import io.fibry.StatefulActor;
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
        return Actors.holding(accounts.get(from), accounts.get(to)).execFuture((payer, payee) -> {
            payer.pay(cents);
            payee.receive(cents);
            return true;
        }).get();
    }

    @Override
    public Books books() throws ExecutionException, InterruptedException {
        return Actors.holdingStates(accounts)
                .execFuture(all -> all.stream().map(MeasuredAccount::books).reduce(Books.EMPTY, Books::plus))
                .get();
    }

    @Override
    public void close() {
        scope.close();
    }
}
