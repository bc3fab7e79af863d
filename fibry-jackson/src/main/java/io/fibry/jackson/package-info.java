/** JSON by Jackson 3, for {@link io.fibry.net.HttpJson}. */
@NullMarked
package io.fibry.jackson;

import org.jspecify.annotations.NullMarked;
