/** How the servers work. */
@NullMarked
package io.fibry.internal.net;

import org.jspecify.annotations.NullMarked;
