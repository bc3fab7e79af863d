import org.jspecify.annotations.NullMarked;

/**
 * Actors whose state survives the end of their process.
 *
 * <pre>{@code
 * try (var store = DurableStore.open("file:bank.db"); var scope = ActorSystem.open("bank")) {
 *     var accounts = Durable.of(store, "accounts", Balance.class, Balance.NONE, Event.class, Balance::apply)
 *             .keyed(scope, Deposit.class, Long.class, Deposit::account,
 *                     (self, deposit) -> {
 *                         self.persist(new Event.Deposited(deposit.cents()));
 *                         return self.state().cents();
 *                     });
 *     accounts.sendMessageReturn(new Deposit(4711, 100)).get();    // it is on the disk now
 * }
 * }</pre>
 *
 * <p>{@link io.fibry.durable.Durable} makes them, and {@link io.fibry.durable.DurableStore} keeps their state.
 * The page {@code docs/durable.md} in the source repository has more.
 */
@NullMarked
module io.fibry.durable {
    requires transitive io.fibry;
    requires transitive io.fibry.codec;
    requires transitive java.sql;
    // Exports are lines of JSON.
    requires tools.jackson.dataformat.cbor;
    requires org.slf4j;
    // Annotations only: a user needs them neither to compile nor to run.
    requires static org.jspecify;

    exports io.fibry.durable;
    // The states of queues are records.
    opens io.fibry.durable to io.fibry.codec;
}
