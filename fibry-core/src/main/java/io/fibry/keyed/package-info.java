/** Actors that are made for each key when a message needs them. */
@NullMarked
package io.fibry.keyed;

import org.jspecify.annotations.NullMarked;
