package io.fibry.bench.durable;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.durable.Durable;
import io.fibry.durable.DurableStore;
import io.fibry.durable.Projection;
import io.fibry.keyed.KeyedActors;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;

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

    private final String bank;
    private final DurableStore store;
    private final ActorScope scope = ActorSystem.open("bank");
    private final Durable<Balance, Deposited> durable;
    private final KeyedActors<Long, Deposit, Long> actors;

    /** Opens the bank that a database has, or a new one. */
    ActorAccounts(String bank, boolean pipelined) {
        this.bank = bank;
        store = DurableStore.open(bank.replaceFirst("^jdbc:sqlite:", "file:"));
        durable =
                Durable.of(store, "accounts", Balance.class, new Balance(0), Deposited.class, Balance::plus);
        actors = (pipelined ? durable.pipelined() : durable)
                .keyed(scope, Deposit.class, Long.class,
                        Deposit::account,
                        (self, deposit) -> {
                            if (deposit.cents() > 0) {
                                self.persist(new Deposited(deposit.cents(), NOTE));
                            }
                            return self.state().cents();
                        });
    }

    @Override
    public void deposit(long account) throws Exception {
        actors.sendMessageReturn(new Deposit(account, 1)).get();
    }

    /** Begins to count the turns that a projection gets. */
    void project(LongAdder turns) throws InterruptedException {
        var unused = Projection.<Deposited>of("count", durable).start(scope,
                batch -> turns.add(batch.turns().size()));
    }

    /** Asks an account for its balance, and so for its deposits. */
    CompletableFuture<Long> balance(long account) {
        return actors.sendMessageReturn(new Deposit(account, 0));
    }

    /** Counts the deposits in the store by reading it from outside. */
    @Override
    public long deposits() throws SQLException {
        try (var connection = DriverManager.getConnection(bank);
                var statement = connection.createStatement();
                var rows = statement.executeQuery(
                        "select sum(newest) from (select max(rev) newest from fibry_turns group by grp, actor) each_actor")) {
            rows.next();
            return rows.getLong(1);
        }
    }

    @Override
    public void close() {
        try (store) {
            scope.close();
        }
    }
}
