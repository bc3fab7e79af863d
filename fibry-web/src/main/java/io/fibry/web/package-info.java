/**
 * Web sockets that are actors, and HTTP/2. {@link io.fibry.web.WebServer} starts a server. Its requests are answered by the
 * routes of {@link io.fibry.net.HttpRoutes}, some of which may be {@link io.fibry.web.WebSocketRoute}s.
 */
@NullMarked
package io.fibry.web;

import org.jspecify.annotations.NullMarked;
