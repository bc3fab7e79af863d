/**
 * Time: the system's clock, its timers, schedules and alarms, and the randomness of scopes.
 *
 * <p>It may use {@code memory} and {@code log}.
 *
 * <p>Terms: An <em>alarm</em> wakes a parked thread when its time is over: with it a wait has a limit without a timed park.
 */
@NullMarked
package io.fibry.internal.clock;

import org.jspecify.annotations.NullMarked;
