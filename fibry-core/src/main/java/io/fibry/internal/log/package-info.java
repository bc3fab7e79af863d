/**
 * The loggers of the library, and the log that is used if slf4j has no provider.
 *
 * <p>It uses {@code memory}.
 */
@NullMarked
package io.fibry.internal.log;

import org.jspecify.annotations.NullMarked;
