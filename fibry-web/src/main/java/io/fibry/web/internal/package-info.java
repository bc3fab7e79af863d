/** The implementation of {@link io.fibry.web.WebServer}. */
@NullMarked
package io.fibry.web.internal;

import org.jspecify.annotations.NullMarked;
