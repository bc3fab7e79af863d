/**
 * What all other packages of the engine are built on: atomic access to fields, the marks at which seeded schedules
 * switch threads, short spinning waits, and the reserve of stack.
 *
 * <p>It uses no other package of the engine.
 *
 * <p>Terms: A <em>mark</em> ({@link io.fibry.internal.memory.Interleave#here}) is a place in the code at which a
 * seeded schedule may switch to another thread, because a step of that thread makes a difference there. The
 * <em>reserve</em> is the amount of stack that the engine proves to be there before it takes anything.
 *
 * <p>Exported to {@code io.fibry.cluster}, which proves the reserve of stack where it sends, and has a mark.
 */
@NullMarked
package io.fibry.internal.memory;

import org.jspecify.annotations.NullMarked;
