/**
 * Handlers that do not end: a stand-in thread handles the messages of an actor, and the actor can go on without it.
 *
 * <p>This room may use {@code actor} and the rooms below it.
 *
 * <p>Terms: A <em>stand-in thread</em> handles messages for a turn, which waits for it. A <em>stand-in run</em> is
 * the handling of one message on such a thread. The turn <em>abandons</em> a run whose handler does not end in time:
 * the actor then goes on without the thread. The code of a run is <em>inside</em> while it uses what belongs to its
 * actor. A stand-in thread is <em>deaf</em> while no interrupt may reach it.
 */
@NullMarked
package io.fibry.internal.abandon;

import org.jspecify.annotations.NullMarked;
