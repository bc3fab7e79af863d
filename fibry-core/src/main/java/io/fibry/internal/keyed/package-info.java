/**
 * One actor for each key, made by its first message.
 *
 * <p>It may use {@code scope} and what is below it.
 */
@NullMarked
package io.fibry.internal.keyed;

import org.jspecify.annotations.NullMarked;
