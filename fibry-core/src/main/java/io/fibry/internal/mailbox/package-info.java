/**
 * The queues of actors: unbounded and bounded. Each is the object of its actor, since an idle actor is one object of 56 bytes.
 *
 * <p>It may use {@code actor} and what is below it.
 */
@NullMarked
package io.fibry.internal.mailbox;

import org.jspecify.annotations.NullMarked;
