/** What a scope tells about its actors: records of the one sealed {@link io.fibry.event.ActorEvent}. */
@NullMarked
package io.fibry.event;

import org.jspecify.annotations.NullMarked;
