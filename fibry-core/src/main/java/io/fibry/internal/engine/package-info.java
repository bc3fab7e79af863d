/**
 * What there is one of in a JVM: the root scope, the default strategy, and the assembly of all rooms.
 *
 * <p>It may use all other rooms but {@code net}.
 */
@NullMarked
package io.fibry.internal.engine;

import org.jspecify.annotations.NullMarked;
