package io.fibry.durable;

import java.sql.SQLException;
import java.util.List;

/** The tables of a store in PostgreSQL. */
final class PostgresTables {
    static final int VERSION = 7;

    /** One process at a time makes the tables. */
    private static final long SCHEMA_LOCK = 0x6669627279L;
    private static final List<String> TABLES = List.of(
            "CREATE TABLE fibry_schema(version int NOT NULL, shift bigint NOT NULL)",
            "CREATE TABLE fibry_groups(grp serial PRIMARY KEY, name text NOT NULL UNIQUE)",
            """
                    CREATE TABLE fibry_turns(id bigint NOT NULL, grp int NOT NULL, actor text COLLATE "C" NOT NULL, rev bigint NOT NULL, at bigint NOT NULL,
                        events bytea NOT NULL, outbox bytea, slot int, PRIMARY KEY(grp, actor, rev),
                        CONSTRAINT fibry_turns_slot CHECK(outbox IS NULL OR slot IS NOT NULL))""",
            "CREATE INDEX fibry_turns_id ON fibry_turns(id)",
            "CREATE INDEX fibry_turns_first ON fibry_turns(grp, actor) WHERE rev = 1 AND at >= 0",
            "CREATE INDEX fibry_turns_unsent ON fibry_turns(grp, actor, rev) WHERE outbox IS NOT NULL",
            """
                    CREATE TABLE fibry_snapshots(grp int NOT NULL, actor text COLLATE "C" NOT NULL, rev bigint NOT NULL, state bytea NOT NULL,
                        floor_rev bigint NOT NULL, floor_at timestamptz NOT NULL, compacted int NOT NULL, PRIMARY KEY(grp, actor))""",
            // An expression, so that a compaction is never planned with the primary key, which has all keys.
            "CREATE INDEX fibry_snapshots_new ON fibry_snapshots((grp + 0), actor) WHERE compacted = 0",
            """
                    CREATE TABLE fibry_reminders(grp int NOT NULL, actor text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, at bigint NOT NULL, every text NOT NULL,
                        message bytea NOT NULL, slot int NOT NULL, failed int NOT NULL, next bigint NOT NULL, reason text NOT NULL,
                        PRIMARY KEY(grp, actor, name))""",
            "CREATE INDEX fibry_reminders_next ON fibry_reminders(grp, next)",
            "CREATE INDEX fibry_reminders_name ON fibry_reminders(grp, name, next)",
            """
                    CREATE TABLE fibry_handled(grp int NOT NULL, actor text COLLATE "C" NOT NULL, id uuid NOT NULL, at bigint NOT NULL, answer bytea NOT NULL,
                        from_grp int, from_actor text COLLATE "C", from_rev bigint, PRIMARY KEY(grp, actor, id))""",
            // Or queries for a key would be planned with this index while statistics are old.
            "CREATE INDEX fibry_handled_at ON fibry_handled((grp + 0), at)",
            """
                    CREATE TABLE fibry_places(name text COLLATE "C" NOT NULL, grp int NOT NULL, place bigint NOT NULL, paused int NOT NULL,
                        PRIMARY KEY(name, grp))""",
            "INSERT INTO fibry_schema VALUES(" + VERSION + ", 0)");

    private PostgresTables() {
    }

    /**
     * Makes the tables if they are not there, and fails if they are those of another version.
     *
     * @return what is added to the number of a transaction
     */
    static long make(Sql sql) throws SQLException {
        sql.execute(List.of("SELECT pg_advisory_xact_lock(" + SCHEMA_LOCK + ")"));
        if (!sql.first("SELECT to_regclass('fibry_schema') IS NOT NULL", rows -> rows.getBoolean(1))
                .orElse(false)) {
            sql.execute(TABLES);
        }
        SqlJournal.requireVersion(number(sql, "SELECT version FROM fibry_schema"), VERSION);
        return shift(sql);
    }

    /**
     * In a server to which the tables were copied, transactions have lower numbers than the turns that are there.
     * Those to come get higher ones.
     */
    private static long shift(Sql sql) throws SQLException {
        long newest = number(sql,
                """
                        SELECT greatest((SELECT max(id) FROM fibry_turns), (SELECT max(place) FROM fibry_places), 0)""");
        long shift = number(sql, "SELECT shift FROM fibry_schema");
        long next = number(sql, "SELECT pg_current_xact_id()::text::bigint");
        long least = (newest >> SqlFollower.BITS_OF_TURN) + 1 - next;
        if (least <= shift) {
            return shift;
        }
        sql.update("UPDATE fibry_schema SET shift = ?", least);
        return least;
    }

    private static long number(Sql sql, String query) throws SQLException {
        return sql.first(query, rows -> rows.getLong(1)).orElse(0L);
    }
}
