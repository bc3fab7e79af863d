/** Meters of actors for Micrometer. {@link io.fibry.micrometer.FibryMeters} makes them. */
@NullMarked
package io.fibry.micrometer;

import org.jspecify.annotations.NullMarked;
