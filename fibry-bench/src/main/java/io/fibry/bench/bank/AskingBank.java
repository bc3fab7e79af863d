package io.fibry.bench.bank;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.AskCycleException;
import io.fibry.Reply;
import io.fibry.Request;
import io.fibry.StatefulActor;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;

/** The account that pays is asked. In its handler, it asks the account that receives, and waits for the answer. */
public final class AskingBank implements MeasuredBank {
    private record Pay(int to, long cents) implements Request<Boolean> {
    }

    private record Receive(long cents) implements Request<Boolean> {
    }

    private final ActorScope scope = ActorSystem.open("asking-bank");
    private final List<StatefulActor<MeasuredAccount, Request<Boolean>, Reply>> accounts;

    /**
     * Makes the bank.
     *
     * @param many the number of accounts
     */
    public AskingBank(int many) {
        accounts = IntStream.range(0, many)
                .mapToObj(i -> scope.anonymous().state(MeasuredAccount::new).newActorWithReturn(this::handle))
                .toList();
    }

    private Reply handle(MeasuredAccount account, Request<Boolean> request)
            throws ExecutionException, InterruptedException {
        return switch (request) {
            case Pay pay -> pay.reply(pay(account, pay));
            case Receive receive -> {
                account.receive(receive.cents);
                yield receive.reply(true);
            }
            default -> throw new IllegalArgumentException("not a request for an account: " + request);
        };
    }

    private boolean pay(MeasuredAccount account, Pay pay) throws ExecutionException, InterruptedException {
        try {
            accounts.get(pay.to).requestWait(new Receive(pay.cents));
        } catch (AskCycleException refused) {
            return false;
        }
        account.pay(pay.cents);
        return true;
    }

    @Override
    public boolean transfer(int from, int to, long cents) throws ExecutionException, InterruptedException {
        return accounts.get(from).requestWait(new Pay(to, cents));
    }

    @Override
    public Books books() throws ExecutionException, InterruptedException {
        var sum = Books.EMPTY;
        for (var account : accounts) {
            sum = sum.plus(account.execFutureWithState(MeasuredAccount::books).get());
        }
        return sum;
    }

    @Override
    public void close() {
        scope.close();
    }
}
