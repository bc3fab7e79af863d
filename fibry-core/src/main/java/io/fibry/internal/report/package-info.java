/**
 * What became of messages, and how that is reported: counters, events for listeners, and the log of events.
 *
 * <p>It may use {@code memory}, {@code log} and {@code clock}.
 *
 * <p>Terms: The <em>fate</em> of a message is what became of it in the end: it was handled, has failed, has expired,
 * or was dropped, refused or not delivered. A <em>tally</em> is a part of a count that one lane at a time writes.
 */
@NullMarked
package io.fibry.internal.report;

import org.jspecify.annotations.NullMarked;
