/**
 * Failures: what becomes of an actor that has failed, restarts and their pauses, children, watches, links and groups.
 *
 * <p>It may use {@code actor} and what is below it.
 *
 * <p>Terms: The <em>mail</em> of an actor that has stopped is inherited by its successor if a group starts one.
 */
@NullMarked
package io.fibry.internal.supervise;

import org.jspecify.annotations.NullMarked;
