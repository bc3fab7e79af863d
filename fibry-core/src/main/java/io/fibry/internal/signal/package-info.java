/** Signals of features: nodes that carry no message of a user, or one that a feature has made. */
@NullMarked
package io.fibry.internal.signal;

import org.jspecify.annotations.NullMarked;
