/**
 * Asks with a time limit.
 *
 * <p>Terms: An answer is <em>late</em> when its time is over and it is not complete yet, and <em>quiet</em> without callbacks.
 */
@NullMarked
package io.fibry.internal.deadline;

import org.jspecify.annotations.NullMarked;
