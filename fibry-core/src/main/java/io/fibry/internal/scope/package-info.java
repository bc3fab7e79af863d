/**
 * Scopes and builders: how actors are made, named, listed, found, scheduled and stopped together.
 *
 * <p>This room may use all rooms except {@code keyed}, {@code engine}, {@code net} and {@code stereotype}.
 *
 * <p>Terms: A scope <em>admits</em> a new actor when it gives the actor what it needs to run and lists it. A
 * <em>crew</em> is a scope of actors that do the work of one actor or of one server. A <em>member</em> is the entry
 * of an actor in the list of its scope. A scope that is <em>draining</em> takes messages only from its own actors. A
 * <em>root scope</em> is the scope around all others; it is never closed.
 *
 * <p>Exported to {@code io.fibry.cluster} and {@code io.fibry.web}, which keep the actors that do their work in scopes
 * of their own, and carry the context of messages to other nodes.
 */
@NullMarked
package io.fibry.internal.scope;

import org.jspecify.annotations.NullMarked;
