/** Servers for TCP, UDP and HTTP, their options, and what their handlers work with. */
@NullMarked
package io.fibry.net;

import org.jspecify.annotations.NullMarked;
