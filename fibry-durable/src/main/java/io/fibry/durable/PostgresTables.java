package io.fibry.durable;

import io.fibry.internal.keyed.KeyHash;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** The tables of a store in PostgreSQL. */
final class PostgresTables {
    static final int VERSION = 2;

    /** The tables before {@code slot} was added, which has the number of a key. */
    private static final int WITHOUT_SLOTS = 1;
    private static final int BATCH = 1_000;
    /** One process at a time makes the tables. */
    private static final long SCHEMA_LOCK = 0x6669627279L;
    private static final String[] TABLES = {"CREATE TABLE fibry_schema(version int NOT NULL)",
        "CREATE TABLE fibry_groups(grp serial PRIMARY KEY, name text NOT NULL UNIQUE)",
        """
                CREATE TABLE fibry_turns(id bigserial, grp int NOT NULL, key text NOT NULL, rev bigint NOT NULL, at bigint NOT NULL,
                    events bytea NOT NULL, message_id text, answer bytea NOT NULL, outbox bytea, slot int, PRIMARY KEY(grp, key, rev),
                    CONSTRAINT fibry_turns_slot CHECK(outbox IS NULL OR slot IS NOT NULL))""",
        "CREATE INDEX fibry_turns_unsent ON fibry_turns(grp, id) WHERE outbox IS NOT NULL",
        """
                CREATE TABLE fibry_snapshots(grp int NOT NULL, key text NOT NULL, rev bigint NOT NULL, state bytea NOT NULL, ids bytea NOT NULL,
                    floor_rev bigint NOT NULL, floor_at timestamptz NOT NULL, PRIMARY KEY(grp, key))""",
        """
                CREATE TABLE fibry_reminders(grp int NOT NULL, key text NOT NULL, name text NOT NULL, at bigint NOT NULL, every bigint,
                    message bytea NOT NULL, slot int NOT NULL, PRIMARY KEY(grp, key, name))""",
        "CREATE INDEX fibry_reminders_at ON fibry_reminders(grp, at)"};

    private PostgresTables() {
    }

    /** Makes the tables if they are not there, and fails if they are those of another version. */
    static void make(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(" + SCHEMA_LOCK + ")");
            boolean there;
            try (var rows = statement.executeQuery("SELECT to_regclass('fibry_schema') IS NOT NULL")) {
                there = rows.next() && rows.getBoolean(1);
            }
            if (!there) {
                for (var table : TABLES) {
                    statement.execute(table);
                }
                statement.execute("INSERT INTO fibry_schema VALUES(" + VERSION + ")");
            }
            int version = version(statement);
            if (version == WITHOUT_SLOTS) {
                addSlots(connection, statement);
            } else if (version != VERSION) {
                throw new SQLException("the tables of this database have version " + version
                        + ", and this version of Fibry knows " + VERSION
                        + "; use a version of Fibry that knows them");
            }
        }
    }

    private static int version(Statement statement) throws SQLException {
        try (var rows = statement.executeQuery("SELECT version FROM fibry_schema")) {
            return rows.next() ? rows.getInt(1) : 0;
        }
    }

    /** Adds the numbers by which keys are in slices: to reminders, and to turns whose messages have not been sent. */
    private static void addSlots(Connection connection, Statement statement) throws SQLException {
        for (var table : List.of("fibry_turns", "fibry_reminders")) {
            statement.execute("ALTER TABLE " + table + " ADD COLUMN slot int");
            var condition = table.equals("fibry_turns") ? " WHERE outbox IS NOT NULL" : "";
            try (var set = connection
                    .prepareStatement("UPDATE " + table + " SET slot = ? WHERE grp = ? AND key = ?");
                    var rows =
                            statement.executeQuery("SELECT DISTINCT grp, key FROM " + table + condition)) {
                while (rows.next()) {
                    set.setInt(1, KeyHash.of(rows.getString(2)));
                    set.setInt(2, rows.getInt(1));
                    set.setString(3, rows.getString(2));
                    set.addBatch();
                    if (rows.getRow() % BATCH == 0) {
                        set.executeBatch();
                    }
                }
                set.executeBatch();
            }
        }
        // A process of the version before, which writes no numbers, then fails instead of losing messages.
        statement.execute(
                "ALTER TABLE fibry_turns ADD CONSTRAINT fibry_turns_slot CHECK(outbox IS NULL OR slot IS NOT NULL)");
        statement.execute("ALTER TABLE fibry_reminders ALTER COLUMN slot SET NOT NULL");
        statement.execute("UPDATE fibry_schema SET version = " + VERSION);
    }
}
