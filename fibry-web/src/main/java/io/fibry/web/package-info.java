/**
 * Web sockets that are actors, and HTTP/2. Start at {@link io.fibry.web.WebServer}; what answers are routes of
 * {@link io.fibry.net.HttpRoutes}, some of which are {@link io.fibry.web.WebSocketRoute}s.
 */
@NullMarked
package io.fibry.web;

import org.jspecify.annotations.NullMarked;
