/**
 * Web sockets that are actors, and HTTP/2. {@link io.fibry.web.WebServer} starts a server.
 */
@NullMarked
package io.fibry.web;

import org.jspecify.annotations.NullMarked;
