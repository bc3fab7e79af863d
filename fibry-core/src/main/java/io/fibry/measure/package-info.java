/**
 * Measures of a running system: how long messages wait and handlers run, how many actors there are and how much waits for
 * them, what was lost, restarted or too late. {@link io.fibry.measure.MeasureListener} receives them.
 */
@NullMarked
package io.fibry.measure;

import org.jspecify.annotations.NullMarked;
