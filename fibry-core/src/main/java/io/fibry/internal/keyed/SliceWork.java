package io.fibry.internal.keyed;

import io.fibry.keyed.KeyedActors;
import java.util.Optional;

/**
 * What keyed actors have besides the actors, and what goes with their keys: messages of theirs that are still to be
 * sent, and reminders. A cluster begins it on the node that is the home of a slice of the keys, and ends it before the
 * slice goes. Objects are thread-safe, and no method waits.
 */
public interface SliceWork {
    /**
     * Says why other nodes cannot have this work.
     *
     * @return the reason and what to do; empty if they can
     */
    Optional<String> refusal();

    /** Begins the work for all keys: there is no other node. */
    void beginAlone();

    /**
     * Tells that nodes share the actors. Called once, before the first slice begins.
     *
     * @param homes sends to other nodes
     * @param shared what the program sends to
     */
    void share(SliceHomes homes, KeyedActors<?, ?, ?> shared);

    /**
     * Begins the work of a slice: this node is its home from now on.
     *
     * @param slice number of the slice
     * @param row the row of a database that says so, if any. A store in it commits for the slice only while the row is there
     */
    void begin(int slice, Optional<HomeRow> row);

    /**
     * A row of the table {@code fibry_cluster_entries} that names a home.
     *
     * @param database tells the database: the id in its table {@code fibry_cluster_schema}
     * @param cluster name of the cluster
     * @param table name of the table of the cluster
     * @param key key of the entry
     * @param value what the row has as long as this node is the home, and never again after that
     */
    record HomeRow(String database, String cluster, String table, String key, byte[] value) {
    }

    /**
     * Ends the work of a slice. What has begun may go on, and then the next home does it again.
     *
     * @param slice number of the slice
     */
    void end(int slice);

    /**
     * Returns a message that each actor gets before it ends gently. What the actor has begun is over when it has handled that.
     *
     * @return the message; empty if an actor has nothing under way when it has handled a message
     */
    Optional<Object> last();

    /**
     * Returns a message as the actors take it if it has an id.
     *
     * @param id the id: a message that comes again has the same one
     * @param message the message
     * @return what is sent to the actors
     */
    Object identified(String id, Object message);
}
