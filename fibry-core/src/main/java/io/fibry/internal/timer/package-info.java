/**
 * What happens to an actor by the clock: its timers, and its end when it has been idle for long.
 *
 * <p>It may use {@code actor} and what is below it.
 *
 * <p>Terms: A <em>tick</em> is the message of a timer.
 */
@NullMarked
package io.fibry.internal.timer;

import org.jspecify.annotations.NullMarked;
