/**
 * Where all loggers of the library come from, and what is logged if slf4j has no provider.
 *
 * <p>It may use nothing of ours.
 */
@NullMarked
package io.fibry.internal.log;

import org.jspecify.annotations.NullMarked;
