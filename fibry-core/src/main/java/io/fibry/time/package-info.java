/** Timers, schedules, rate limits, and the time source on which they run. */
@NullMarked
package io.fibry.time;

import org.jspecify.annotations.NullMarked;
