/**
 * Measures of scopes for listeners.
 *
 * <p>This room may use {@code actor} and the rooms below it.
 *
 * <p>Terms: A <em>group</em> is a set of actors that are measured together; each actor belongs to one. A message of the
 * <em>sample</em> is timed. A <em>measured</em> scope has a listener, and shares it with the scopes inside it that have none.
 */
@NullMarked
package io.fibry.internal.measure;

import org.jspecify.annotations.NullMarked;
