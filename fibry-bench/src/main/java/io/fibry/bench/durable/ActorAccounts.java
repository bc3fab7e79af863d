package io.fibry.bench.durable;

import io.fibry.ActorScope;
import io.fibry.durable.Durable;
import io.fibry.durable.DurableStore;
import io.fibry.keyed.KeyedActors;
import io.fibry.keyed.KeyedOptions;
import java.time.Duration;

/** Durable actors, one for each account. */
final class ActorAccounts implements DurableAccounts {
    private static final String NOTE = "x".repeat(BYTES - "cents".length() - "note".length() - 8);

    record Deposited(long cents, String note) {
    }

    record Balance(long cents) {
        Balance plus(Deposited event) {
            return new Balance(cents + event.cents());
        }
    }

    record Deposit(long account, long cents) {
    }

    private final DurableStore store;
    private final ActorScope scope = ActorScope.open("bank");
    private final KeyedActors<Long, Deposit, Long> actors;
    private final Counting counting;

    /** Counts the deposits in the store by reading it from outside. */
    @FunctionalInterface
    interface Counting {
        long count() throws Exception;
    }

    ActorAccounts(DurableStore store, boolean pipelined, Counting counting) {
        this.store = store;
        this.counting = counting;
        var durable =
                Durable.of(store, "accounts", Balance.class, new Balance(0), Deposited.class, Balance::plus);
        actors = (pipelined ? durable.pipelined() : durable)
                .keyed(scope, KeyedOptions.idle(Duration.ofMinutes(5)), Deposit.class, Long.class,
                        Deposit::account,
                        (self, deposit) -> {
                            self.persist(new Deposited(deposit.cents(), NOTE));
                            return self.state().cents();
                        });
    }

    @Override
    public void deposit(long account) throws Exception {
        actors.sendMessageReturn(new Deposit(account, 1)).get();
    }

    @Override
    public long deposits() throws Exception {
        return counting.count();
    }

    @Override
    public void close() {
        try (store) {
            scope.close();
        }
    }
}
