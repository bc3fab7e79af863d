package io.fibry.durable;

import java.sql.SQLException;

/**
 * Checks that a store is set to flush what it commits, since a test of durability proves nothing otherwise. The check asks the
 * connection on which the journal writes.
 */
final class Flushing {
    private Flushing() {
    }

    /** Opens a store that flushes. */
    static DurableStore open(String url) throws SQLException {
        return required(DurableStore.open(url));
    }

    /** Returns the store, if its journal flushes. */
    static DurableStore required(DurableStore store) throws SQLException {
        required(store.journal);
        return store;
    }

    /** Returns the journal, if it flushes. */
    static <T extends Journal> T required(T journal) throws SQLException {
        switch (journal) {
            case SqliteJournal sqlite -> {
                require("synchronous", "2", setting(sqlite, "PRAGMA synchronous")); // FULL
                require("fullfsync", "1", setting(sqlite, "PRAGMA fullfsync"));
                require("journal_mode", "wal", setting(sqlite, "PRAGMA journal_mode"));
            }
            case PostgresJournal postgres -> {
                for (var name : new String[]{"fsync", "synchronous_commit", "full_page_writes"}) {
                    require(name, "on", setting(postgres, "SHOW " + name));
                }
            }
            case MariaJournal maria -> {
                require("innodb_flush_log_at_trx_commit", "1",
                        setting(maria, "SELECT @@innodb_flush_log_at_trx_commit"));
                require("log_bin", "0", setting(maria, "SELECT @@log_bin"));
            }
            default ->
                throw new AssertionError("this journal does not survive its process: " + journal.getClass());
        }
        return journal;
    }

    /** Returns a setting of the connection that writes, by the statement that shows it. */
    static String setting(SqlJournal journal, String statement) throws SQLException {
        return journal.writer
                .write(sql -> sql.first(statement, rows -> rows.getString(1)).orElse("nothing"));
    }

    private static void require(String name, String expected, String found) {
        if (!expected.equals(found)) {
            throw new AssertionError(name + " is " + found + " and not " + expected);
        }
    }
}
