/**
 * Time: the system's clock, its timers, schedules and alarms; and the source of randomness of scopes.
 *
 * <p>It may use {@code memory} and {@code log}.
 *
 * <p>Terms: An <em>alarm</em> wakes a parked thread when its time is over, so that a wait has a limit although the park
 * has none. A <em>recurring</em> action happens by a schedule. A time is <em>claimed</em> before the action happens.
 */
@NullMarked
package io.fibry.internal.clock;

import org.jspecify.annotations.NullMarked;
