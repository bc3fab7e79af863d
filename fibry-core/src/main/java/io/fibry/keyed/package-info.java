/** An actor for each key, made when it is needed. */
@NullMarked
package io.fibry.keyed;

import org.jspecify.annotations.NullMarked;
