/**
 * What all rooms are made of: atomic access to the fields of the engine's own classes, the marks between which seeded
 * schedules switch threads, short waits for another processor, and the reserve of stack.
 *
 * <p>It may use nothing of ours.
 *
 * <p>Terms: A <em>mark</em> ({@link io.fibry.internal.memory.Interleave#here}) is a place where another thread that comes in between matters.
 * The <em>reserve</em> is the stack that the engine proves to be there before it takes anything.
 */
@NullMarked
package io.fibry.internal.memory;

import org.jspecify.annotations.NullMarked;
