/**
 * The servers: TCP, UDP and HTTP.
 *
 * <p>This room may use all rooms except {@code stereotype}.
 *
 * <p>Terms: The <em>crew</em> of a server is the scope of the actors that do its work. The <em>anchor</em> of a
 * server is an actor in the user's scope: its end is the end of the server. A <em>cutter</em> is an actor that
 * closes connections for timers, since a timer must not wait. A <em>worker</em> is the user's code that reads a
 * connection. A <em>sweep</em> is a timer that looks for clients that do not read or send.
 *
 * <p>Exported to {@code io.fibry.web}, whose connections are those of the HTTP server, and become web sockets or HTTP/2.
 */
@NullMarked
package io.fibry.internal.net;

import org.jspecify.annotations.NullMarked;
