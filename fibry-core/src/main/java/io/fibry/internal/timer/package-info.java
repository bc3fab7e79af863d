/**
 * What happens to an actor by the clock: its timers, and its end when it has been idle for long.
 *
 * <p>This room may use {@code actor} and the rooms below it.
 *
 * <p>Terms: A <em>tick</em> is one message of a timer. A turn <em>claims</em> a tick when it handles its node: a
 * tick of a timer that was cancelled or replaced cannot be claimed.
 */
@NullMarked
package io.fibry.internal.timer;

import org.jspecify.annotations.NullMarked;
