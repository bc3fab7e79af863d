/**
 * Scopes and builders: how actors are made, named, listed, found, scheduled and stopped together.
 *
 * <p>It may use all rooms but {@code keyed} and {@code engine}.
 *
 * <p>Terms: A <em>crew</em> is a scope of actors that do the work of one actor. A <em>member</em> is a scope's memory of one of its actors.
 */
@NullMarked
package io.fibry.internal.scope;

import org.jspecify.annotations.NullMarked;
