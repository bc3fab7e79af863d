package io.fibry.internal.actor;

import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.actor.Supervision.Inheritance;
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
 * The scope of an actor as the kernel sees it. The kernel asks it for what the actors of one scope share, and
 * calls it for what an actor cannot do alone. This is a class and not an interface, since each message passes
 * here and the compiler binds the calls of a class that has one subclass.
 */
public abstract class Host implements ActorScope {
    /** Set by the thread that shares the actors; an ask that fails meanwhile may do so in either way. */
    private volatile AskFailures.@Nullable OfActors askFailures;

    // ---- What the actors of the scope share. ----

    @Override
    public abstract TimeSource time();

    public abstract RandomGenerator random();

    @Override
    public abstract Duration closeTimeout();

    public abstract Events events();

    public abstract Services services();

    /** Returns what describes the present work of an actor. */
    public abstract Details details();

    /** Returns the counts of the fates of messages. */
    public abstract Fates fates();

    /**
     * Returns the limits of what may wait for its actors, in this scope and in those around it; null if there
     * is none.
     */
    public abstract @Nullable Budget budget();

    /** Sets the words for the failures of asks, from now on, for its actors with this specification. */
    public final void tellFailures(ActorSpec spec, AskFailures words) {
        askFailures = new AskFailures.OfActors(spec, words);
    }

    /** Returns the words for the failures of asks for its actors with this specification; null if there are none. */
    final @Nullable AskFailures askFailures(ActorSpec spec) {
        var known = askFailures;
        return known == null || known.spec() != spec ? null : known.words();
    }

    /** Returns the failure of an ask for its actors with this specification that no actor has got. */
    public final Throwable lostAsk(ActorSpec spec, Throwable why) {
        return AskFailures.lostInWords(askFailures(spec), why);
    }

    /** Returns the prefix of the names that it makes up for anonymous actors. */
    public abstract String anonymousPrefix();

    /** Returns the strategy with the limits of this scope and of those around it. */
    public abstract CreationStrategy within(CreationStrategy strategy);

    // ---- Questions about an actor. ----

    /**
     * Returns why an actor that is not {@linkplain ExtendedState#isOpen open} does not take a message; null
     * if it does.
     */
    public abstract @Nullable Cause refusal(ExtendedState extended);

    /** Returns whether this scope, or one around it, has that budget. */
    public abstract boolean isWithin(Budget budget);

    /** Returns whether this scope was closed, and its actors have stopped or were given up. */
    public abstract boolean hasEnded();

    /** Returns the stand-ins without which their actors have gone on and which still run, with the actors. */
    public abstract Map<StandIn, Cell> abandoned();

    /** Returns the actors that are alive and listed. */
    public abstract List<Cell> cells();

    // ---- What the kernel cannot do alone. ----

    /** Returns a builder of children of an actor, of this name or anonymous. */
    public abstract ActorBuilder childOf(Cell parent, @Nullable String name);

    /**
     * Returns a builder of a child that gets the nodes which the actors before it have left, and leaves those
     * which it does not handle.
     */
    public abstract ActorBuilder successorOf(Cell parent, String name, Inheritance mail);

    /** Takes in a new actor and starts it, with its first node if it has one. */
    public abstract void admit(Cell cell, @Nullable Node first);

    /** Keeps an actor alive that has something to do at its end. */
    public abstract void holdOn(Cell cell);

    /** Frees the name of an actor that has ended. */
    public abstract void freeName(Cell cell);

    /** Forgets an actor that has exited: it is not listed any more. */
    public abstract void forget(Cell cell);
}
