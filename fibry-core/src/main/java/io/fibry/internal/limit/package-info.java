/**
 * Limits: quotas, and the senders that wait for a place of a quota.
 *
 * <p>It may use {@code run} and what {@code run} may use.
 *
 * <p>Terms: A <em>quota</em> is a number of places. A <em>permit</em> contains the places that one message has taken. A
 * <em>budget</em> consists of the limits that a scope and the scopes around it set for messages that wait.
 */
@NullMarked
package io.fibry.internal.limit;

import org.jspecify.annotations.NullMarked;
