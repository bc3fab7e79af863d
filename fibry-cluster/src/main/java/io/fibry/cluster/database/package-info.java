/**
 * The engine of a cluster whose nodes have a database in common: PostgreSQL, or one file of SQLite for the processes of one machine.
 *
 * <pre>
 *   fibry_cluster_states    one row a cluster: the number of the view, the version of the newest entry, the timeline it was written on. Its lock orders views and changes.
 *   fibry_cluster_nodes     one row an incarnation: state, beat, when it joined, address, machine, lease, whom it does not hear
 *   fibry_cluster_entries   the entries, each with the version of its change. A removed one stays, without a value, until all nodes have read it, those that were lost among them.
 * </pre>
 *
 * <p>{@link io.fibry.cluster.database.ClusterSession} has the operations: each is one transaction, and with
 * PostgreSQL one function on the server, so that a client that is frozen or cut off holds no lock. A function takes
 * the lock in one statement and decides in the next one, which sees what was committed before the lock was there.
 *
 * <pre>
 *   JOINING --> SERVING    the row is a member's, and the copies of the entries are newer than the row
 *   SERVING --> SILENT     by the thread that comes first: the lease is over, the row is no member's any more, or the database has lost changes
 *   SILENT ---> JOINING    all that was served has ended, and no member is unlike this node; after an accusation all are reached again, too
 *   any ------> LEFT       leave or close
 * </pre>
 *
 * <p><b>Threads.</b> One, with a connection of its own, keeps the lease, observes the others and tells views. One watches the clock of the lease. Each
 * connection that others have opened has one that reads. They are platform threads: handlers that compute must not cost a node its lease. Those that
 * send write themselves; what comes while one writes goes with it. Those that change entries do so one at a time.
 *
 * <p><b>Who notices what.</b> That its lease is over, a node sees by its own clock, at each operation and in the watching
 * thread. That it is silent, others see when its beat, which it raises only while it serves, stays the same for the lease of its row, from
 * the answer that had it first ({@link Observation}). That it has died, nodes of its machine see when its port refuses them or has another incarnation
 * ({@link MachineId}). That two nodes do not hear each other, each sees as no frames come with beats, and all by the rows
 * ({@link Accusations}). That the database has lost changes, each node sees by the identity of the server and its own copies.
 *
 * <p>No clock is read from the database, or compared with that of another process. A node serves for less than a lease from
 * the <em>begin</em> of a confirmed beat; others wait for a whole lease from the <em>end</em> of the request that showed them
 * the beat. So two nodes serve at once only if the rates of their clocks differ by more than the margin, a sixth of the lease.
 */
@org.jspecify.annotations.NullMarked
package io.fibry.cluster.database;
