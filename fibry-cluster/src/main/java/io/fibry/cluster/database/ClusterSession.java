package io.fibry.cluster.database;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A connection to the database of a cluster. Each method is one transaction. Not thread-safe, but for {@link #abort}. A session whose method has
 * failed is closed, and replaced.
 */
interface ClusterSession extends AutoCloseable {
    /**
     * Version of the tables that this release makes and knows. The tables name it, and the oldest version whose releases can use them: a
     * later release may add columns and functions, and leaves those of the version before, so that nodes can be replaced one by one.
     */
    int VERSION = 1;
    /** Stands for whatever beat a node has; its beats begin with 1. */
    long ANY_BEAT = 0;

    /** The place of a node in the sequence of views. */
    enum State {
        /** It is a member, and its beats are taken. */
        MEMBER(0),
        /** It has said goodbye, which is final. */
        LEFT(1),
        /** Others have found it lost. */
        LOST(2),
        /** It is a member until it has ended its actors, or until its lease is over. Its beats are not taken. */
        ENDING(3);

        final int code;

        State(int code) {
            this.code = code;
        }

        static State of(int code) {
            return switch (code) {
                case 0 -> MEMBER;
                case 1 -> LEFT;
                case 2 -> LOST;
                case 3 -> ENDING;
                default -> throw new IllegalStateException(
                        "a row of the table fibry_cluster_nodes has the state " + code
                                + ", which this version of Fibry does not know: update it");
            };
        }

        boolean isInView() {
            return this == MEMBER || this == ENDING;
        }
    }

    /**
     * The row of a node.
     *
     * @param joined number of the view that it has joined with, or that it is missing from since
     * @param machine where a closed port proves a death
     */
    record NodeRow(UUID node, long joined, State state, String address, String machine, byte[] description) {
    }

    /** What a view is made of. */
    record Nodes(long view, List<NodeRow> rows) {
    }

    /** What a beat shows of a member. */
    record Pulse(long beat, State state, long joined, Set<UUID> accused) {
    }

    /**
     * What is there at a beat, the own one included.
     *
     * @param version of the newest entry
     * @param server tells one start and timeline of the server from another one, which may have lost the last changes
     */
    record Beat(long view, long version, String server, Map<UUID, Pulse> members) {
    }

    /** An entry; without a value it was removed. */
    record Entry(String table, String key, byte @Nullable [] value, long version) {
    }

    /** A change that is made if the entry has the value that is expected. */
    record Change(String table, String key, byte @Nullable [] expected, byte @Nullable [] next) {
    }

    /** What has become of a change, and the entry as it is now. */
    record Result(boolean isDone, Entry now) {
    }

    /** Throws an exception if the row of the schema says that this release cannot use the tables. */
    static void requireVersion(ResultSet row) throws SQLException {
        var isThere = row.next();
        var version = isThere ? row.getInt(1) : 0;
        var oldest = isThere ? row.getInt(2) : 0;
        if (version < VERSION || oldest > VERSION) {
            throw new SQLException("the tables fibry_cluster_* of this database have version " + version
                    + ", for releases of Fibry that know version " + oldest
                    + " or a later one, and this release knows version " + VERSION
                    + "; use one that knows them");
        }
    }

    /** Makes the tables if they are not there, and fails if this release cannot use them. */
    void makeTables() throws SQLException;

    /**
     * Makes a node a member of a new view, also if it was lost before; one that has said goodbye stays out.
     *
     * @return whether the server has another timeline than at the last change: a copy was promoted, which may have lost the last ones
     */
    boolean join(UUID node, long beat, String address, String machine, byte[] description)
            throws SQLException;

    /**
     * Renews the lease of a node, if it is a member, and reads the members.
     *
     * @param beat higher than all beats of this incarnation before
     * @param seen the version up to which the node has all entries
     */
    Beat beat(UUID node, long beat, long seen, Set<UUID> accused) throws SQLException;

    /** Reads the view. */
    Nodes nodes() throws SQLException;

    /**
     * Ends a membership and makes a new view, if the node is in the view and its beat is this one.
     *
     * @param beat the beat, or {@link #ANY_BEAT}
     */
    boolean remove(UUID node, long beat, State state) throws SQLException;

    /** Takes no more beats of a member. */
    void accuse(UUID node) throws SQLException;

    /** Reads the entries that are newer than a version, the oldest first. */
    List<Entry> entriesAfter(long version) throws SQLException;

    /** Makes changes, one after the other; empty if the node that asks for them is no member, so none was made. */
    Optional<List<Result>> change(UUID by, List<Change> changes) throws SQLException;

    /** Ends what another thread waits for. */
    void abort();

    @Override
    void close();
}
