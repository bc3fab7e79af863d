package io.fibry.bench.durable;

import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.persistence.jdbc.journal.JdbcAsyncWriteJournal;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;

/**
 * Persistent actors of Pekko, one for each account, with Pekko Persistence JDBC as their journal. Everything is as it comes but the
 * number of connections. Its events are bytes, which cost nothing to encode.
 */
final class PekkoAccounts implements DurableAccounts {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final String CONFIG =
            """
                    pekko.persistence.journal.plugin = jdbc-journal
                    pekko.persistence.snapshot-store.plugin = pekko.persistence.no-snapshot-store
                    pekko.stdout-loglevel = ERROR
                    jdbc-journal.slick {
                      profile = "slick.jdbc.PostgresProfile$"
                      db { url = "%s", driver = org.postgresql.Driver, numThreads = %d, maxConnections = %2$d, minConnections = %2$d }
                    }""";
    private static final String SCHEMA = "/schema/postgres/postgres-create-schema.sql";

    private record Deposit(ActorRef<Long> answerTo) {
    }

    private static final class Account extends EventSourcedBehavior<Deposit, byte[], Long> {
        Account(long number) {
            super(PersistenceId.ofUniqueId("account-" + number));
        }

        @Override
        public Long emptyState() {
            return 0L;
        }

        @Override
        public CommandHandler<Deposit, byte[], Long> commandHandler() {
            return newCommandHandlerBuilder().forAnyState().onAnyCommand((sum, deposit) -> Effect()
                    .persist(new byte[BYTES]).thenRun(after -> deposit.answerTo().tell(after)));
        }

        @Override
        public EventHandler<Long, byte[]> eventHandler() {
            return newEventHandlerBuilder().forAnyState().onAnyEvent((sum, event) -> sum + 1);
        }
    }

    private final String bank;
    private final ActorSystem<Object> system;
    private final Map<Long, ActorRef<Deposit>> accounts = new ConcurrentHashMap<>();

    PekkoAccounts(String bank, int connections) throws SQLException {
        this.bank = bank;
        makeTables();
        var config = ConfigFactory.parseString(CONFIG.formatted(bank, connections));
        system = ActorSystem.create(Behaviors.empty(), "bank", config.withFallback(ConfigFactory.load()));
    }

    private ActorRef<Deposit> account(long account) {
        return accounts.computeIfAbsent(account,
                number -> system.systemActorOf(new Account(number), "account-" + number, Props.empty()));
    }

    private void makeTables() throws SQLException {
        String schema;
        try (var in = JdbcAsyncWriteJournal.class.getResourceAsStream(SCHEMA)) {
            if (in == null) {
                throw new IllegalStateException("Pekko Persistence JDBC has no " + SCHEMA);
            }
            schema = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try (var connection = DriverManager.getConnection(bank);
                var statement = connection.createStatement()) {
            for (var sql : schema.split(";")) {
                if (!sql.isBlank()) {
                    statement.execute(sql);
                }
            }
        }
    }

    @Override
    public void deposit(long account) throws Exception {
        AskPattern.ask(account(account), Deposit::new, LIMIT, system.scheduler()).toCompletableFuture().get();
    }

    @Override
    public long deposits() throws SQLException {
        try (var connection = DriverManager.getConnection(bank);
                var statement = connection.createStatement();
                var rows = statement.executeQuery("select count(*) from event_journal")) {
            rows.next();
            return rows.getLong(1);
        }
    }

    @Override
    public void close() {
        system.terminate();
        system.getWhenTerminated().toCompletableFuture().join();
    }
}
