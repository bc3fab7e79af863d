package io.fibry.durable;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;

/** The tables of a store in a file of SQLite. */
final class SqliteTables {
    /** Version of the tables, in the file's {@code user_version}. */
    static final int VERSION = 5;

    private static final List<String> TABLES = List.of(
            "CREATE TABLE fibry_groups(grp INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
            """
                    CREATE TABLE fibry_places(name TEXT NOT NULL, grp INTEGER NOT NULL, place INTEGER NOT NULL, paused INTEGER NOT NULL,
                        PRIMARY KEY(name, grp)) WITHOUT ROWID""",
            // A projection remembers an id. The newest turn is not deleted while there are projections, so no id comes twice.
            """
                    CREATE TABLE fibry_turns(id INTEGER PRIMARY KEY, grp INTEGER NOT NULL, actor TEXT NOT NULL, rev INTEGER NOT NULL,
                        at INTEGER NOT NULL, events BLOB NOT NULL, outbox BLOB, slot INTEGER)""",
            "CREATE UNIQUE INDEX fibry_turns_rev ON fibry_turns(grp, actor, rev)",
            "CREATE INDEX fibry_turns_first ON fibry_turns(grp, actor) WHERE rev = 1 AND at >= 0",
            "CREATE INDEX fibry_turns_unsent ON fibry_turns(grp, actor, rev) WHERE outbox IS NOT NULL",
            """
                    CREATE TABLE fibry_snapshots(grp INTEGER NOT NULL, actor TEXT NOT NULL, rev INTEGER NOT NULL, state BLOB NOT NULL,
                        compacted INTEGER NOT NULL, PRIMARY KEY(grp, actor)) WITHOUT ROWID""",
            "CREATE INDEX fibry_snapshots_new ON fibry_snapshots(grp) WHERE compacted = 0",
            """
                    CREATE TABLE fibry_reminders(grp INTEGER NOT NULL, actor TEXT NOT NULL, name TEXT NOT NULL, at INTEGER NOT NULL,
                        every TEXT NOT NULL, message BLOB NOT NULL, slot INTEGER NOT NULL, failed INTEGER NOT NULL,
                        next INTEGER NOT NULL, reason TEXT NOT NULL,
                        PRIMARY KEY(grp, actor, name)) WITHOUT ROWID""",
            "CREATE INDEX fibry_reminders_next ON fibry_reminders(grp, next)",
            "CREATE INDEX fibry_reminders_name ON fibry_reminders(grp, name, next)",
            """
                    CREATE TABLE fibry_handled(grp INTEGER NOT NULL, actor TEXT NOT NULL, id BLOB NOT NULL, at INTEGER NOT NULL, answer BLOB NOT NULL,
                        from_grp INTEGER, from_actor TEXT, from_rev INTEGER, PRIMARY KEY(grp, actor, id)) WITHOUT ROWID""",
            "CREATE INDEX fibry_handled_at ON fibry_handled(grp, at)",
            "PRAGMA user_version=" + VERSION);

    private SqliteTables() {
    }

    /** Makes the tables if the file is empty, and fails if it has those of another version, or of another program. */
    static void make(Sql sql, Path file) throws SQLException {
        int version = sql.first("PRAGMA user_version", rows -> rows.getInt(1)).orElse(0);
        boolean isOfAnother = version == 0
                ? sql.first("SELECT 1 FROM sqlite_schema", rows -> true).isPresent()
                : sql.first("PRAGMA table_info(fibry_turns)", rows -> true).isEmpty();
        if (isOfAnother) {
            throw new SQLException("the file " + file + " is a database of another program: it has version "
                    + version + " and no tables of durable actors; name a file of its own");
        }
        if (version != 0 && version != VERSION) {
            throw new SQLException(
                    "the store " + file + " was written by another version of Fibry: its tables are "
                            + version + ", and this version knows " + VERSION);
        }
        if (version == 0) {
            sql.execute(TABLES);
        }
    }
}
