/**
 * Dumps: what the actors of a scope do at one moment.
 *
 * <p>This room may use {@code scope}, {@code watchdog} and the rooms below them. A dump only reads; nothing in the engine
 * refers to this room, except for the assembly.
 *
 * <p>Terms: A <em>look</em> is one pass over the actors. A <em>sighting</em> is what an earlier look has seen of one actor. An
 * <em>edge</em> leads from an actor that waits to the actor that it waits for, and a <em>chain</em> is a path of edges.
 */
@NullMarked
package io.fibry.internal.dump;

import org.jspecify.annotations.NullMarked;
