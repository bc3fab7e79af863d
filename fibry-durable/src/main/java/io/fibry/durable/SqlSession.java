package io.fibry.durable;

import java.sql.Connection;
import java.sql.SQLException;

/** Transactions on a connection to a database, which is replaced after one that has failed. Not thread-safe. */
interface SqlSession extends AutoCloseable {
    /** Runs a transaction, which is committed if the work returns. */
    <T> T run(Transaction<T> work) throws SQLException;

    @Override
    void close() throws SQLException;

    /** What is done in a transaction. */
    @FunctionalInterface
    interface Transaction<T> {
        T run(Connection connection) throws SQLException;
    }
}
