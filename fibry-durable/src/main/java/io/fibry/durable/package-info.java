/** Actors whose state survives the end of their process. {@link io.fibry.durable.Durable} makes them. */
@NullMarked
package io.fibry.durable;

import org.jspecify.annotations.NullMarked;
