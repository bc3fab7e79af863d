/** What the layers around a handler have in common. */
@NullMarked
package io.fibry.internal.layer;

import org.jspecify.annotations.NullMarked;
