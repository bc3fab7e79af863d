/** The stereotypes, one class each. */
@NullMarked
package io.fibry.internal.stereotype;

import org.jspecify.annotations.NullMarked;
