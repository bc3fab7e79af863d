/**
 * One actor for each key, made when the first message for the key comes.
 *
 * <p>This room may use {@code scope} and the rooms below it.
 *
 * <p>Terms: An actor of a key <em>retires</em> when it has been idle for long, or when another key needs its place.
 * The next actor of the key waits for the end of a retired one.
 *
 * <p>Exported to {@code io.fibry.cluster}, which ends the actors of the keys that move to another node, and to {@code
 * io.fibry.durable}, which has work that moves with its keys.
 */
@NullMarked
package io.fibry.internal.keyed;

import org.jspecify.annotations.NullMarked;
