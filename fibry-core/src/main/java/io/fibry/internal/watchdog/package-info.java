/**
 * The watchdog: looks at the actors of a scope from time to time, and reports what is stuck, lagging or starved.
 *
 * <p>It may use {@code timer}, {@code actor} and what is below them.
 */
@NullMarked
package io.fibry.internal.watchdog;

import org.jspecify.annotations.NullMarked;
