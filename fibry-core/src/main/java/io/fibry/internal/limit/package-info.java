/**
 * Limits: places of which only so many may be taken, who waits for one, and what holds back calls.
 *
 * <p>It may use {@code run} and what is below it.
 *
 * <p>Terms: A <em>quota</em> is a number of places. A <em>permit</em> is the places that one message has taken. A <em>budget</em> is what may wait
 * for the actors of a scope and of the scopes around it.
 */
@NullMarked
package io.fibry.internal.limit;

import org.jspecify.annotations.NullMarked;
