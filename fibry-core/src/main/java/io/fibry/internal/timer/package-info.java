/**
 * The timers of an actor, and the stop of an actor that has been idle for long.
 *
 * <p>This room may use {@code actor} and the rooms below it.
 *
 * <p>Terms: A <em>tick</em> is one message of a timer. A turn <em>claims</em> a tick when it handles its node.
 * A tick of a timer that was cancelled or replaced cannot be claimed.
 */
@NullMarked
package io.fibry.internal.timer;

import org.jspecify.annotations.NullMarked;
