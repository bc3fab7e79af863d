/**
 * Asks with a time limit.
 *
 * <p>Terms: An answer is <em>late</em> when its time is over and it is not completed yet. It is <em>quiet</em> if it has no callbacks.
 */
@NullMarked
package io.fibry.internal.deadline;

import org.jspecify.annotations.NullMarked;
