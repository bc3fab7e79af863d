package io.fibry.durable;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the logs in MariaDB, which several processes may share.
 *
 * <p>Each transaction of a writer locks the row of the schema first, and keeps this lock until its commit. So one
 * transaction writes at a time, sees all that those before it have written, and gives its turns higher numbers: a
 * projection that reads in the order of the numbers passes none over. Those before it are flushed with it. A process
 * that stands still in the middle of a transaction holds up the others, until the server rolls it back.
 *
 * <p>What is committed is seen before it is on the disk. So a projection that tells somebody else flushes what it has read first.
 */
final class MariaJournal extends SqlJournal {
    private static final Logger LOG = LoggerFactory.getLogger(MariaJournal.class);
    private static final int VERSION = 1;
    /** For how many keys one statement asks. With more keys, each takes longer. */
    private static final int MOST_KEYS = 64;
    /** Each part of a union is in parentheses, so it may have a limit; a query within it would make a table for each key. */
    private static final String LOG_IN_PARTS =
            LOG_OF_KEY.replace("(SELECT at, id FROM fibry_handled", "fibry_handled").replace(") h", "");
    /** MariaDB goes from name to name by itself; for {@link SqlJournal#NAMES} it would read all rows behind a name. */
    static final String NAMES_ALONG_INDEX =
            """
                    SELECT name, min(next) FROM fibry_reminders FORCE INDEX (fibry_reminders_name) WHERE grp = ? AND name > ?
                    GROUP BY grp, name ORDER BY grp, name LIMIT ?""";
    private static final String LET_ONE_WRITE = "SELECT version FROM fibry_schema FOR UPDATE";

    // Texts that are compared are bytes: so they differ if any character does, and the longest names have room in an index.
    private static final List<String> TABLES = List.of(
            """
                    CREATE TABLE IF NOT EXISTS fibry_groups(grp INT AUTO_INCREMENT PRIMARY KEY, name VARBINARY(768) NOT NULL UNIQUE) ENGINE=InnoDB""",
            """
                    CREATE TABLE IF NOT EXISTS fibry_turns(id BIGINT NOT NULL AUTO_INCREMENT UNIQUE, grp INT NOT NULL, actor VARBINARY(1536) NOT NULL,
                        rev BIGINT NOT NULL, at BIGINT NOT NULL, events LONGBLOB NOT NULL, outbox LONGBLOB, slot INT,
                        unsent INT AS (IF(outbox IS NULL, NULL, 1)) VIRTUAL,
                        PRIMARY KEY(grp, actor, rev), KEY fibry_turns_unsent(grp, unsent, actor, rev)) ENGINE=InnoDB""",
            """
                    CREATE TABLE IF NOT EXISTS fibry_snapshots(grp INT NOT NULL, actor VARBINARY(1536) NOT NULL, rev BIGINT NOT NULL, state LONGBLOB NOT NULL,
                        compacted INT NOT NULL, PRIMARY KEY(grp, actor), KEY fibry_snapshots_new(grp, compacted, actor)) ENGINE=InnoDB""",
            """
                    CREATE TABLE IF NOT EXISTS fibry_reminders(grp INT NOT NULL, actor VARBINARY(1536) NOT NULL, name VARBINARY(768) NOT NULL, at BIGINT NOT NULL,
                        every VARBINARY(768) NOT NULL, message LONGBLOB NOT NULL, slot INT NOT NULL, failed INT NOT NULL, next BIGINT NOT NULL,
                        reason TEXT CHARACTER SET utf8mb4 NOT NULL, PRIMARY KEY(grp, actor, name), KEY fibry_reminders_next(grp, next),
                        KEY fibry_reminders_name(grp, name, next)) ENGINE=InnoDB""",
            """
                    CREATE TABLE IF NOT EXISTS fibry_handled(grp INT NOT NULL, actor VARBINARY(1536) NOT NULL, id BINARY(16) NOT NULL, at BIGINT NOT NULL,
                        answer LONGBLOB NOT NULL, from_grp INT, from_actor VARBINARY(1536), from_rev BIGINT,
                        PRIMARY KEY(grp, actor, id), KEY fibry_handled_at(grp, at)) ENGINE=InnoDB""",
            """
                    CREATE TABLE IF NOT EXISTS fibry_places(name VARBINARY(768) NOT NULL, grp INT NOT NULL, place BIGINT NOT NULL, paused INT NOT NULL,
                        PRIMARY KEY(name, grp)) ENGINE=InnoDB""",
            "CREATE TABLE IF NOT EXISTS fibry_schema(version INT PRIMARY KEY, flushes BIGINT NOT NULL) ENGINE=InnoDB",
            "INSERT IGNORE INTO fibry_schema SELECT " + VERSION
                    + ", 0 FROM DUAL WHERE NOT EXISTS(SELECT 1 FROM fibry_schema)");

    private final SqlSession.Source source;
    private final Duration limit;

    private MariaJournal(SqlSession.Source source, Duration limit) {
        // The server ends a transaction that stands still before the limit is over for the writers that wait for it.
        super(session(source, limit, limit.dividedBy(2), Connection.TRANSACTION_READ_COMMITTED,
                LET_ONE_WRITE),
                session(source, limit, limit, Connection.TRANSACTION_REPEATABLE_READ, ""),
                Dialect.ofOneWriter("INSERT IGNORE INTO fibry_groups(name) VALUES(?)", LOG_IN_PARTS,
                        "unsent = 1",
                        step("FORCE INDEX (fibry_snapshots_new)", "FORCE INDEX (PRIMARY)"),
                        NAMES_ALONG_INDEX));
        this.source = source;
        this.limit = limit;
    }

    /** Joins go along the indexes, row by row, since the rows of a compaction are in their order. */
    private static SqlSession session(SqlSession.Source source, Duration limit, Duration idle,
            int isolation, String begin) {
        long seconds = Math.max(1, limit.toSeconds());
        return new SqlSession(source, new SqlSession.Settings(limit, isolation,
                // The connection may be one of a pool, and have settings of its own.
                List.of("""
                        SET @fibry_mode = coalesce(@fibry_mode, @@sql_mode), @fibry_statement = coalesce(@fibry_statement, @@max_statement_time),
                            @fibry_lock = coalesce(@fibry_lock, @@innodb_lock_wait_timeout), @fibry_idle = coalesce(@fibry_idle, @@idle_transaction_timeout),
                            @fibry_join = coalesce(@fibry_join, @@join_cache_level)""",
                        "SET sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', max_statement_time = "
                                + limit.toMillis() / 1e3 + ", innodb_lock_wait_timeout = " + seconds
                                + ", idle_transaction_timeout = " + Math.max(1, idle.toSeconds())
                                + ", join_cache_level = 0"),
                List.of("DO release_all_locks()",
                        """
                                SET sql_mode = @fibry_mode, max_statement_time = cast(@fibry_statement AS DOUBLE),
                                    innodb_lock_wait_timeout = cast(@fibry_lock AS SIGNED), idle_transaction_timeout = cast(@fibry_idle AS SIGNED),
                                    join_cache_level = cast(@fibry_join AS SIGNED)"""),
                begin, new ReentrantLock()));
    }

    static MariaJournal open(SqlSession.Source source, Duration limit) throws SQLException {
        var journal = new MariaJournal(source, limit);
        journal.reader.run(sql -> {
            require(sql);
            make(sql);
            return true;
        });
        return journal;
    }

    private static void require(Sql sql) throws SQLException {
        if ("ON".equals(show(sql, "wsrep_on"))) {
            throw new IllegalArgumentException(
                    "a Galera cluster is no store: its locks do not hold in other nodes, so writers would not be fenced; use one MariaDB server");
        }
        warnUnless(sql, "innodb_flush_log_at_trx_commit", "1", "what it has committed may be lost");
        warnUnless(sql, "innodb_doublewrite", "ON", "a page that was half written may be lost");
        if ("ON".equals(show(sql, "log_bin"))) {
            warnUnless(sql, "sync_binlog", "1", "with log_bin, what it has committed may be lost");
        }
    }

    private static void warnUnless(Sql sql, String name, String value, String what)
            throws SQLException {
        var found = show(sql, name);
        if (!value.equals(found)) {
            LOG.warn("MariaDB runs with {}={}: {} if its machine loses power; set {}={}", name, found, what,
                    name, value);
        }
    }

    private static String show(Sql sql, String name) throws SQLException {
        return sql.first("SHOW VARIABLES WHERE Variable_name = '" + name + "'", rows -> rows.getString(2))
                .orElse("");
    }

    private static void make(Sql sql) throws SQLException {
        sql.execute(TABLES);
        requireVersion(sql.first("SELECT version FROM fibry_schema", rows -> rows.getLong(1)).orElse(0L),
                VERSION);
    }

    /** One query finds the newest revisions, and one batch adds the turns. */
    @Override
    BitSet insert(Sql sql, List<Turn> turns, Map<String, Integer> numbers) throws SQLException {
        var newest = newest(sql, turns.stream().map(Turn::id).distinct().toList());
        var written = new BitSet(turns.size());
        for (int i = 0; i < turns.size(); i++) {
            var turn = turns.get(i);
            if (turn.revision() != newest.getOrDefault(turn.id(), 0L) + 1) {
                newest.put(turn.id(), Long.MAX_VALUE);
                continue;
            }
            newest.put(turn.id(), turn.revision());
            sql.add("INSERT INTO fibry_turns(grp, actor, rev, at, events, outbox, slot) VALUES(?, ?, ?, ?, ?, ?, ?)",
                    values(numbers.getOrDefault(turn.id().group(), 0), turn));
            written.set(i);
        }
        sql.runAll();
        return written;
    }

    @Override
    void each(Sql sql, List<Id> ids, String query, OfKey row) throws SQLException {
        for (int first = 0; first < ids.size(); first += MOST_KEYS) {
            var queries = new StringJoiner(" UNION ALL ").setEmptyValue("SELECT 1 FROM DUAL WHERE FALSE");
            for (int i = first; i < Math.min(ids.size(), first + MOST_KEYS); i++) {
                var group = group(sql, ids.get(i).group());
                if (group.isPresent()) {
                    var key = HexFormat.of().formatHex(ids.get(i).key().getBytes(StandardCharsets.UTF_8));
                    queries.add("(" + query.formatted(group.get(), "x'" + key + "'", i).replace(" UNION ALL ",
                            ") UNION ALL (") + ")");
                }
            }
            try (var statement = sql.connection.createStatement();
                    var rows = statement.executeQuery(queries.toString())) {
                int place = rows.getMetaData().getColumnCount();
                while (rows.next()) {
                    row.take(ids.get(rows.getInt(place)), rows);
                }
            }
        }
    }

    @Override
    SqlFollower follow(String name, Map<Integer, String> names) {
        return new SqlFollower(SqlFollower.Database.MARIADB, name, names, 0,
                session(source, limit, limit, Connection.TRANSACTION_READ_COMMITTED, ""));
    }

    @Override
    public boolean isForManyProcesses() {
        return true;
    }
}
