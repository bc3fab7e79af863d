/**
 * Limits: quotas of places and the threads that wait for one, and what holds back calls.
 *
 * <p>It may use {@code run} and what {@code run} may use.
 *
 * <p>Terms: A <em>quota</em> is a number of places. A <em>permit</em> contains the places that one message has taken. A
 * <em>budget</em> limits what may wait for the actors of a scope and of the scopes around it.
 */
@NullMarked
package io.fibry.internal.limit;

import org.jspecify.annotations.NullMarked;
