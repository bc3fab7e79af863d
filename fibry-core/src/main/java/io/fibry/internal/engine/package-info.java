/**
 * The singletons of a JVM: the root scope, the default strategy, and the assembly of all rooms.
 *
 * <p>This room may use all other rooms except {@code net} and {@code stereotype}.
 *
 * <p>Exported to {@code io.fibry.test}, which lets the engine run by its schedules.
 */
@NullMarked
package io.fibry.internal.engine;

import org.jspecify.annotations.NullMarked;
