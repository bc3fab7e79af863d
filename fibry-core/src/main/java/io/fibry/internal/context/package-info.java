/**
 * What goes with a message from its sender's thread to its handler's, and the diagnostic context of the log.
 *
 * <p>It may use {@code run} and what is below it.
 *
 * <p>Terms: A <em>carrier</em> captures something of a thread; what it has captured is <em>carried</em> with a message.
 */
@NullMarked
package io.fibry.internal.context;

import org.jspecify.annotations.NullMarked;
