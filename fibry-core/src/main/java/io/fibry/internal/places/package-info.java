/** The places that messages take in the limits of scopes, and the senders that wait for one. */
@NullMarked
package io.fibry.internal.places;

import org.jspecify.annotations.NullMarked;
