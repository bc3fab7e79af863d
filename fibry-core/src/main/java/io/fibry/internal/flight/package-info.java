/**
 * Events for Java Flight Recorder. What other rooms report becomes an event of a recording; without a recording nothing
 * is made.
 *
 * <p>This room may use {@code timer}, {@code actor} and the rooms below them. No room below it knows of it: the rooms that
 * report declare an interface for whatever records, and this room implements them. {@link
 * io.fibry.internal.flight.Flight} alone may be used by other rooms, since a JVM may not have the module
 * {@code jdk.jfr}; the other classes are not loaded there.
 *
 * <p>Terms: A <em>recording</em> is one of Java Flight Recorder. An event is <em>enabled</em> if a recording that runs
 * wants it.
 */
@NullMarked
package io.fibry.internal.flight;

import org.jspecify.annotations.NullMarked;
