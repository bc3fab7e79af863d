/**
 * Handlers that do not end: a stand-in thread handles the messages of an actor, which can go on without it.
 *
 * <p>It may use {@code actor} and what is below it.
 *
 * <p>Terms: A <em>stand-in thread</em> handles messages for turns that wait for it.
 */
@NullMarked
package io.fibry.internal.abandon;

import org.jspecify.annotations.NullMarked;
