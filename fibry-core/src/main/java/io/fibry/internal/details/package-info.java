/** The words by which time-outs tell what an actor does. */
@NullMarked
package io.fibry.internal.details;

import org.jspecify.annotations.NullMarked;
