package io.fibry.durable;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Transactions on a connection to a database. The connection is made by the first transaction, and by the first one after a
 * transaction that has failed, which gives the connection up. Not thread-safe.
 */
final class SqlSession implements AutoCloseable {
    private final Source source;
    private final Settings settings;
    private @Nullable Sql open;
    /** What the connection had before it was changed. */
    private int timeoutBefore;
    private int isolationBefore;

    SqlSession(Source source, Settings settings) {
        this.source = source;
        this.settings = settings;
    }

    /** Runs a transaction that writes, when no other one of the process does; it is committed if the work returns. */
    <T> T write(Transaction<T> work) throws SQLException {
        return write(work, false);
    }

    /** The same for work that may be one statement. That commits by itself, which saves a round trip. */
    <T> T write(Transaction<T> work, boolean isStatement) throws SQLException {
        var lock = settings.writeLock();
        if (!isLocked(lock)) {
            throw new SQLException("for " + settings.limit()
                    + " another transaction of this process has written,"
                    + " such as that of a projection: let it take less time, or set a longer CommitOptions.limit");
        }
        try {
            return run(work, isStatement);
        } finally {
            lock.unlock();
        }
    }

    /** Locks a lock unless that takes too long; an interrupt does not end the wait, as it ends no statement. */
    private boolean isLocked(ReentrantLock lock) {
        boolean isInterrupted = false;
        try {
            for (long end = System.nanoTime() + settings.limit().toNanos();;) {
                try {
                    return lock.tryLock(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException later) {
                    isInterrupted = true;
                }
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Runs a transaction, which is committed if the work returns. */
    <T> T run(Transaction<T> work) throws SQLException {
        return run(work, false);
    }

    private <T> T run(Transaction<T> work, boolean isStatement) throws SQLException {
        try {
            var sql = open == null ? new Sql(connect()) : open;
            open = sql;
            // mutant: transaction-is-many-statements
            sql.connection.setAutoCommit(isStatement);
            if (!isStatement && !settings.first().isEmpty()) {
                sql.statement(settings.first()).execute();
            }
            var result = work.run(sql);
            if (!isStatement) {
                sql.connection.commit();
            }
            return result;
        } catch (Throwable e) { // also an error: the next transaction must not commit what this one has done
            try {
                // mutant: connection-is-kept-after-a-failure
                close();
            } catch (SQLException also) {
                e.addSuppressed(also);
            }
            throw e;
        }
    }

    private Connection connect() throws SQLException {
        var connection = source.connect();
        try {
            connection.setAutoCommit(true); // or the settings would be a part of a transaction
            timeoutBefore = connection.getNetworkTimeout();
            // Longer than the limits of the server, which say more when they are over.
            connection.setNetworkTimeout(Runnable::run, Math.toIntExact(2 * settings.limit().toMillis()));
            isolationBefore = connection.getTransactionIsolation();
            new Sql(connection).execute(settings.begin());
            connection.setTransactionIsolation(settings.isolation());
            if (connection.getTransactionIsolation() != settings.isolation()) {
                throw new SQLException("the connection keeps the isolation level "
                        + connection.getTransactionIsolation() + ", and the store needs "
                        + settings.isolation()
                        + " of java.sql.Connection");
            }
            return connection;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    /**
     * Closes a connection without the settings of this session, since it may go back to a pool. One that has failed may have no
     * transaction any more, as with SQLite when the disk is full; it is closed whatever can be done with it.
     */
    private void giveBack(Connection connection) throws SQLException {
        try (connection) {
            connection.setAutoCommit(false); // else some drivers refuse to roll back
            connection.rollback();
            connection.setAutoCommit(true);
            connection.setTransactionIsolation(isolationBefore);
            new Sql(connection).execute(settings.end());
            connection.setNetworkTimeout(Runnable::run, timeoutBefore);
        }
    }

    @Override
    public void close() throws SQLException {
        var sql = open;
        open = null;
        if (sql != null) {
            giveBack(sql.connection);
        }
    }

    /**
     * How a session uses its connection.
     *
     * @param limit for how long a statement may last; if the server says nothing for twice this time, the connection has failed
     * @param isolation the level of its transactions
     * @param begin statements that set the connection
     * @param end statements that set it as it was before
     * @param first the statement with which each transaction begins that may have others; empty if there is none
     * @param writeLock held by transactions that write, so others of this process with the same lock wait. It is fair
     *     where they share one, so a session that writes all the time keeps no other one out
     */
    record Settings(Duration limit, int isolation, List<String> begin, List<String> end, String first,
            ReentrantLock writeLock) {
    }

    /** Makes connections. */
    @FunctionalInterface
    interface Source {
        Connection connect() throws SQLException;
    }

    /** What is done in a transaction. */
    @FunctionalInterface
    interface Transaction<T> {
        T run(Sql sql) throws SQLException;
    }
}
