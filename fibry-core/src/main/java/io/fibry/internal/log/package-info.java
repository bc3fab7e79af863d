/**
 * The loggers of the library, and the log that is used if slf4j has no provider.
 *
 * <p>It uses {@code memory}.
 *
 * <p>Exported to {@code io.fibry.web}, whose warnings are logged even if slf4j has no provider, as those of this module.
 */
@NullMarked
package io.fibry.internal.log;

import org.jspecify.annotations.NullMarked;
