/** The stereotypes, one class each, written with the public API. */
@NullMarked
package io.fibry.internal.stereotype;

import org.jspecify.annotations.NullMarked;
