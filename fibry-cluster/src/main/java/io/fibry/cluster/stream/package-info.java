/**
 * Numbered streams of items between two nodes, on a carrier that may drop, repeat, delay and reorder what it carries.
 *
 * <p>Terms: an <em>item</em> is what one node has for another. A <em>verdict</em> says what the receiver has done with it. A stream is
 * <em>retired</em> when one of its ends takes the other one for lost; its <em>epoch</em> tells it from the streams before and after it.
 * {@code docs/adr/0017-homes-and-streams.md} has the states, and says why no item is lost, taken twice or taken out of order.
 */
@NullMarked
package io.fibry.cluster.stream;

import org.jspecify.annotations.NullMarked;
