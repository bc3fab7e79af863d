package io.fibry.topic;

import io.fibry.Actor;
import java.util.concurrent.locks.ReentrantLock;

/**
 * An actor that delivers. The actors of the subscribers run on its thread, since they run where they are sent to.
 *
 * @param actor runs what it gets
 * @param turn held while a handler runs. It is free, except when the scope is being closed or a subscriber is restarted after
 *     a pause: then the actor of a subscriber may run on another thread.
 */
record Deliverer(Actor<Runnable, Void> actor, ReentrantLock turn) {
}
