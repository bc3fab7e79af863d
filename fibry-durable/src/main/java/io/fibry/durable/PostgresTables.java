package io.fibry.durable;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** The tables of a store in PostgreSQL. */
final class PostgresTables {
    static final int VERSION = 6;

    /** One process at a time makes the tables. */
    private static final long SCHEMA_LOCK = 0x6669627279L;
    private static final String[] TABLES = {
        "CREATE TABLE fibry_schema(version int NOT NULL, shift bigint NOT NULL)",
        "CREATE TABLE fibry_groups(grp serial PRIMARY KEY, name text NOT NULL UNIQUE)",
        """
                CREATE TABLE fibry_turns(id bigint NOT NULL, grp int NOT NULL, actor text COLLATE "C" NOT NULL, rev bigint NOT NULL, at bigint NOT NULL,
                    events bytea NOT NULL, outbox bytea, slot int, PRIMARY KEY(grp, actor, rev),
                    CONSTRAINT fibry_turns_slot CHECK(outbox IS NULL OR slot IS NOT NULL))""",
        "CREATE INDEX fibry_turns_id ON fibry_turns(id)",
        "CREATE INDEX fibry_turns_first ON fibry_turns(grp, actor) WHERE rev = 1",
        "CREATE INDEX fibry_turns_unsent ON fibry_turns(grp, actor, rev) WHERE outbox IS NOT NULL",
        """
                CREATE TABLE fibry_snapshots(grp int NOT NULL, actor text COLLATE "C" NOT NULL, rev bigint NOT NULL, state bytea NOT NULL,
                    floor_rev bigint NOT NULL, floor_at timestamptz NOT NULL, PRIMARY KEY(grp, actor))""",
        """
                CREATE TABLE fibry_reminders(grp int NOT NULL, actor text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, at bigint NOT NULL, every text NOT NULL,
                    message bytea NOT NULL, slot int NOT NULL, failed int NOT NULL, next bigint NOT NULL, reason text NOT NULL,
                    PRIMARY KEY(grp, actor, name))""",
        "CREATE INDEX fibry_reminders_next ON fibry_reminders(grp, next)",
        "CREATE INDEX fibry_reminders_name ON fibry_reminders(grp, name, next)",
        """
                CREATE TABLE fibry_handled(grp int NOT NULL, actor text COLLATE "C" NOT NULL, id uuid NOT NULL, at bigint NOT NULL, answer bytea NOT NULL,
                    from_grp int, from_actor text COLLATE "C", from_rev bigint, PRIMARY KEY(grp, actor, id))""",
        // As an expression, the group is of no use to a query for a key, which would be planned with this index while statistics are old.
        "CREATE INDEX fibry_handled_at ON fibry_handled((grp + 0), at)",
        """
                CREATE TABLE fibry_places(name text COLLATE "C" NOT NULL, grp int NOT NULL, place bigint NOT NULL, paused int NOT NULL,
                    PRIMARY KEY(name, grp))"""};

    private PostgresTables() {
    }

    /**
     * Makes the tables if they are not there, and fails if they are those of another version.
     *
     * @return what is added to the number of a transaction
     */
    static long make(Connection connection) throws SQLException {
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
                statement.execute("INSERT INTO fibry_schema VALUES(" + VERSION + ", 0)");
            }
            long version = first(statement, "SELECT version FROM fibry_schema");
            if (version != VERSION) {
                throw new SQLException("the tables of this database have version " + version
                        + ", and this version of Fibry knows " + VERSION
                        + "; use a version of Fibry that knows them");
            }
            return shift(statement);
        }
    }

    /**
     * In a server to which the tables were copied, transactions have lower numbers than the turns that are there. Those to come get
     * higher ones.
     */
    private static long shift(Statement statement) throws SQLException {
        long newest = first(statement,
                """
                        SELECT greatest((SELECT max(id) FROM fibry_turns), (SELECT max(place) FROM fibry_places), 0)""");
        long shift = first(statement, "SELECT shift FROM fibry_schema");
        long next = first(statement, "SELECT pg_current_xact_id()::text::bigint");
        long least = (newest >> SqlFollower.BITS_OF_TURN) + 1 - next;
        if (least <= shift) {
            return shift;
        }
        statement.execute("UPDATE fibry_schema SET shift = " + least);
        return least;
    }

    private static long first(Statement statement, String query) throws SQLException {
        try (var rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getLong(1);
        }
    }

}
