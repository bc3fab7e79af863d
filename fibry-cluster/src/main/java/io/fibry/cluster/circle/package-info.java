/**
 * Finds circles of actors that wait for each other across nodes.
 *
 * <p>Terms: an <em>ask</em> of a node is known by the node and a number. An actor of the node <em>waits</em> for it.
 * A <em>probe</em> goes along asks, from the node that has asked to the one that is to answer. {@link
 * io.fibry.cluster.circle.CircleSearch} says why it finds each circle and nothing else.
 */
@NullMarked
package io.fibry.cluster.circle;

import org.jspecify.annotations.NullMarked;
