/**
 * The search for actors that wait for each other.
 *
 * <p>Terms: An <em>edge</em> records for which other actor an actor waits. A wait <em>gives way</em> if it ends as part
 * of a cycle, so that the others go on. An actor is <em>served</em> if others take its messages.
 *
 * <p>Exported to {@code io.fibry.cluster}, whose asks wait for other nodes: cycles are found across nodes.
 */
@NullMarked
package io.fibry.internal.cycles;

import org.jspecify.annotations.NullMarked;
