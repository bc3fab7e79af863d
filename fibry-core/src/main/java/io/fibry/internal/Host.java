package io.fibry.internal;

import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.event.Undelivered.Cause;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The scope of an actor, as the kernel sees it. The kernel asks it for what actors of one scope share, and tells it what
 * an actor cannot do alone. A class and not an interface, since each message passes here and the compiler binds the calls
 * of a class that has one subclass.
 */
abstract class Host implements ActorScope {
    // ---- What its actors share. ----

    abstract TimeSource time();

    abstract RandomGenerator random();

    abstract Duration closeTimeout();

    abstract Events events();

    abstract Features features();

    /** Says what an actor is doing. */
    abstract Whereabouts whereabouts();

    /** What became of the messages of its actors. */
    abstract Fates fates();

    /** What may wait for its actors, here and in the scopes around it; null if there is no limit. */
    abstract @Nullable Budget budget();

    /** Returns the prefix of the names that it makes up for anonymous actors. */
    abstract String anonymousPrefix();

    /** Returns the strategy with the limits of this scope and of those around it. */
    abstract CreationStrategy within(CreationStrategy strategy);

    // ---- Questions about an actor. ----

    /** Tells why an actor that is not simply open does not take a message; null if it does. */
    abstract @Nullable Cause refusal(Companion companion);

    /** Tells whether this scope, or one around it, has that budget. */
    abstract boolean isWithin(Budget budget);

    /** Returns the stand-ins that its actors have gone on without and that still run, with whose they were. */
    abstract Map<StandIn, Cell> abandoned();

    /** Returns the actors that are alive and listed. */
    abstract List<Cell> cells();

    // ---- What the kernel cannot do alone. ----

    /** Returns a builder of children of an actor, of this name or anonymous. */
    abstract ActorBuilder childOf(Cell parent, @Nullable String name);

    /** Returns a builder of a child that gets what the actors before it have left, and leaves what it has not handled. */
    abstract ActorBuilder successorOf(Cell parent, String name, Inheritance mail);

    /** Takes in a new actor and starts it, with its first node if it has one. */
    abstract void admit(Cell cell, @Nullable Node first);

    /** Keeps an actor alive that has something to do at its end. */
    abstract void holdOn(Cell cell);

    /** Forgets an actor that has ended: its name is free, and it is listed no more. */
    abstract void forget(Cell cell);
}
