/** Servers and their like: they have a port, limits and a stop. */
@NullMarked
package io.fibry.net;

import org.jspecify.annotations.NullMarked;
