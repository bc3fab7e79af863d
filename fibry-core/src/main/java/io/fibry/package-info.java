/**
 * Actors, scopes, strategies and policies.
 *
 * <p>Memory consistency: what a thread does before it sends a message <i>happens-before</i> the actor's
 * handler receives it; the handling of one message <i>happens-before</i> the handling of the next, on
 * whatever thread that runs; the end of a handler <i>happens-before</i> the return of the answer's
 * {@code get}. {@code docs/semantics.md} numbers these and all other promises.
 */
@NullMarked
package io.fibry;

import org.jspecify.annotations.NullMarked;
