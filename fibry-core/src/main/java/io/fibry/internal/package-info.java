/**
 * The engine. Not exported: nothing here is API.
 *
 * <p>{@code docs/concurrency.md} has the table of shared fields, their access modes and who may touch them,
 * and the argument why no wake-up is lost.
 */
@NullMarked
package io.fibry.internal;

import org.jspecify.annotations.NullMarked;
