/** Timers and the clock they run by. */
@NullMarked
package io.fibry.time;

import org.jspecify.annotations.NullMarked;
