/**
 * Time: the system's clock, its timers and time limits, schedules and alarms. Also the source of randomness of scopes.
 *
 * <p>It may use {@code memory} and {@code log}.
 *
 * <p>Terms: An <em>alarm</em> wakes a parked thread when its time is over, so that a wait has a limit although the park
 * has none. A <em>recurring</em> action happens at the times of a schedule. The thread that runs the action
 * <em>claims</em> the time first. A <em>limit</em> is the time limit of an ask: unlike a timer, it is mostly cancelled.
 *
 * <p>Exported to {@code io.fibry.cluster} and {@code io.fibry.web}, which limit times as this module does.
 */
@NullMarked
package io.fibry.internal.clock;

import org.jspecify.annotations.NullMarked;
