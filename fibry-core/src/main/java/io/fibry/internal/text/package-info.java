/**
 * The texts of HTTP, which the API and the servers check and decode.
 *
 * <p>Exported to {@code io.fibry.web}, whose requests have the same texts.
 */
@NullMarked
package io.fibry.internal.text;

import org.jspecify.annotations.NullMarked;
