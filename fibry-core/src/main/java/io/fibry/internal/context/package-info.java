/**
 * The context that is carried with a message from its sender's thread to its handler's, and the diagnostic context of
 * the log.
 *
 * <p>It may use {@code run} and what {@code run} may use.
 *
 * <p>Terms: A <em>carrier</em> captures some context of a thread; what it has captured is <em>carried</em> with a
 * message. A scoped value is <em>bound</em> to a block of code.
 */
@NullMarked
package io.fibry.internal.context;

import org.jspecify.annotations.NullMarked;
