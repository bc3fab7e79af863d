/**
 * The functional interfaces of the code that a program gives to an actor: handlers, the factories of handlers, and pieces of
 * code to run.
 *
 * <p>A program rarely names these types, since lambdas and method references take their place. All of them may block and
 * may throw checked exceptions.
 */
@NullMarked
package io.fibry.function;

import org.jspecify.annotations.NullMarked;
