package io.fibry.internal.actor;

import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.limit.Budget;
import io.fibry.internal.report.Events;
import io.fibry.internal.report.Fates;
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
public abstract class Host implements ActorScope {
    // ---- What its actors share. ----

    public abstract TimeSource time();

    public abstract RandomGenerator random();

    public abstract Duration closeTimeout();

    public abstract Events events();

    public abstract Features features();

    /** Says what an actor is doing. */
    public abstract TimeoutDetails whereabouts();

    /** What became of the messages of its actors. */
    public abstract Fates fates();

    /** What may wait for its actors, here and in the scopes around it; null if there is no limit. */
    public abstract @Nullable Budget budget();

    /** Returns the prefix of the names that it makes up for anonymous actors. */
    public abstract String anonymousPrefix();

    /** Returns the strategy with the limits of this scope and of those around it. */
    public abstract CreationStrategy within(CreationStrategy strategy);

    // ---- Questions about an actor. ----

    /** Tells why an actor that is not simply open does not take a message; null if it does. */
    public abstract @Nullable Cause refusal(ExtendedState companion);

    /** Tells whether this scope, or one around it, has that budget. */
    public abstract boolean isWithin(Budget budget);

    /** Returns the stand-ins that its actors have gone on without and that still run, with whose they were. */
    public abstract Map<StandIn, Cell> abandoned();

    /** Returns the actors that are alive and listed. */
    public abstract List<Cell> cells();

    // ---- What the kernel cannot do alone. ----

    /** Returns a builder of children of an actor, of this name or anonymous. */
    public abstract ActorBuilder childOf(Cell parent, @Nullable String name);

    /** Returns a builder of a child that gets what the actors before it have left, and leaves what it has not handled. */
    public abstract ActorBuilder successorOf(Cell parent, String name, Inheritance mail);

    /** Takes in a new actor and starts it, with its first node if it has one. */
    public abstract void admit(Cell cell, @Nullable Node first);

    /** Keeps an actor alive that has something to do at its end. */
    public abstract void holdOn(Cell cell);

    /** Forgets an actor that has ended: its name is free, and it is listed no more. */
    public abstract void forget(Cell cell);
}
