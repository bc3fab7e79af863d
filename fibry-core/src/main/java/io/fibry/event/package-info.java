/**
 * The events of the actors of a scope: records of the sealed interface {@link io.fibry.event.ActorEvent}. An
 * {@link io.fibry.event.ActorListener} is told of them. All of them are immutable.
 */
@NullMarked
package io.fibry.event;

import org.jspecify.annotations.NullMarked;
