package io.fibry.bench.durable;

import io.fibry.bench.durable.StoreEngine.ByHand;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * By hand: each deposit is a row, in a transaction of the thread that deposits. If the balance is kept, too, the deposits of one account have
 * an order, and one transaction waits for another, as the turns of an actor do.
 */
final class HandAccounts implements DurableAccounts {
    private final BlockingQueue<Writer> writers;
    private final List<Writer> all = new ArrayList<>();
    private final AtomicLong revisions = new AtomicLong();
    private final ByHand kind;

    private record Writer(Connection connection, PreparedStatement insert, PreparedStatement add) {
    }

    HandAccounts(StoreEngine engine, String database, int connections, ByHand kind)
            throws SQLException {
        this.kind = kind;
        writers = new ArrayBlockingQueue<>(connections);
        for (int i = 0; i < connections; i++) {
            var connection = DriverManager.getConnection(database);
            try (var statement = connection.createStatement()) {
                for (var sql : engine.settings()) {
                    statement.execute(sql);
                }
                if (i == 0) {
                    for (var sql : engine.tables()) {
                        statement.execute(sql);
                    }
                    statement.execute(
                            "create table balances (account bigint primary key, rev bigint not null)");
                }
            }
            connection.setAutoCommit(kind == ByHand.STATEMENT);
            var writer = new Writer(connection,
                    connection.prepareStatement("insert into deposits values (?, ?, ?)"),
                    connection.prepareStatement("insert into balances values (?, 1) "
                            + "on conflict (account) do update set rev = balances.rev + 1 returning rev"));
            all.add(writer);
            writers.add(writer);
        }
    }

    @Override
    public void deposit(long account) throws Exception {
        var writer = writers.take();
        try {
            writer.insert.setLong(1, account);
            writer.insert.setLong(2, kind == ByHand.WITH_BALANCE
                    ? revision(writer, account)
                    : revisions.incrementAndGet());
            writer.insert.setBytes(3, new byte[BYTES]);
            writer.insert.executeUpdate();
            commit(writer);
        } finally {
            writers.add(writer);
        }
    }

    private void commit(Writer writer) throws SQLException {
        if (kind != ByHand.STATEMENT) {
            writer.connection.commit();
        }
    }

    /** Locks the balance until the end of the transaction, and returns its next revision. */
    private static long revision(Writer writer, long account) throws SQLException {
        writer.add.setLong(1, account);
        try (var rows = writer.add.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        }
    }

    @Override
    public long deposits() throws Exception {
        var writer = writers.take();
        try (var statement = writer.connection.createStatement();
                var rows = statement.executeQuery("select count(*) from deposits")) {
            rows.next();
            return rows.getLong(1);
        } finally {
            commit(writer);
            writers.add(writer);
        }
    }

    @Override
    public void close() throws SQLException {
        for (var writer : all) {
            writer.connection.close();
        }
    }
}
