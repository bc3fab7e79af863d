/**
 * An actor as users see it: from outside its handle, with the waits for its end and the code that is given to it; from
 * inside its context.
 *
 * <p>Exported to {@code io.fibry.cluster}, whose asks fail with the same exceptions.
 */
@NullMarked
package io.fibry.internal.handle;

import org.jspecify.annotations.NullMarked;
