/**
 * Numbered streams of items between two nodes, on a carrier that may drop, repeat, delay and reorder what it carries.
 *
 * <p>Terms: an <em>item</em> is what one node has for another. A <em>verdict</em> says what the receiver has done with it. A stream is
 * <em>retired</em> when one of its ends takes the other one for lost; its <em>epoch</em> tells it from the streams before and after it.
 *
 * <p>The receiver lets only the next number pass, so nothing is taken twice or out of order. Verdicts are numbered as they
 * are given, not as the items, and repeated until the sender confirms how many it knows, so none is lost. Items of a retired
 * epoch never pass again: the receiver remembers it until a thousand more nodes were lost, and tells a sender that still
 * uses it. So uncertain items do not pass after items of the next stream. A node that is told so by a peer in view sends the
 * answers and cancellations of the old epoch again, since some may answer what the peer has asked since it came back.
 */
@NullMarked
package io.fibry.cluster.stream;

import org.jspecify.annotations.NullMarked;
