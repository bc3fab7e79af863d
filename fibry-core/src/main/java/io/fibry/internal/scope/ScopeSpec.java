package io.fibry.internal.scope;

import io.fibry.ActorScope;
import io.fibry.ContextCarrier;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.Interceptor;
import io.fibry.MailboxPolicy;
import io.fibry.ScopeBuilder;
import io.fibry.ScopeLimits;
import io.fibry.Watchdog;
import io.fibry.event.ActorListener;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.clock.SystemRandom;
import io.fibry.internal.clock.SystemTime;
import io.fibry.internal.context.Carriers;
import io.fibry.internal.context.SenderSites;
import io.fibry.internal.measure.Measuring;
import io.fibry.internal.watchdog.WatchdogThread;
import io.fibry.measure.MeasureListener;
import io.fibry.measure.MeasureOptions;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The specification of a scope, and its builder. A scope without a strategy of its own uses the strategy that its
 * parent has at the time. A specification does not change: each method of the builder returns a changed copy. The
 * scope keeps its specification in a final field.
 */
public final class ScopeSpec implements ScopeBuilder, Cloneable {
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

    private final @Nullable Scope parent;
    private final String name;
    private @Nullable CreationStrategy strategy;
    /** What the actors of the scope have, unless their builder sets it. {@link #forActor} completes it. */
    private ActorSpec actors = new ActorSpec();
    private List<ActorListener> listeners = List.of();
    TimeSource time = SystemTime.INSTANCE;
    private RandomGenerator random = SystemRandom.INSTANCE;
    private Duration closeTimeout = CLOSE_TIMEOUT;
    private ScopeLimits limits = ScopeLimits.none();
    private Watchdog watchdog = Watchdog.none();
    private Measuring.@Nullable Setting measures;
    private boolean isCrew;
    private boolean isServing;
    private boolean closesAtShutdown;
    private boolean keepsJvmAlive;

    private ScopeSpec(@Nullable Scope parent, String name) {
        this.parent = parent;
        this.name = name;
    }

    public static ScopeSpec ofRoot() {
        return new ScopeSpec(null, "root");
    }

    /** Returns the specification of a scope inside {@code parent}, with the defaults of the parent. */
    static ScopeSpec inside(Scope parent, ScopeSpec like, String name) {
        if (Objects.requireNonNull(name, "name").isBlank()) {
            throw new IllegalArgumentException("the name of a scope must not be blank: '" + name
                    + "'; reports show the scope by its name");
        }
        var spec = new ScopeSpec(parent, name);
        spec.actors = Setting.handDown(like.actors.carrying(parent.carriers()), Setting.Heir.INNER);
        spec.time = like.time == SystemTime.INSTANCE ? SystemTime.orStandIn() : like.time;
        spec.random = like.random;
        spec.closeTimeout = like.closeTimeout;
        return spec;
    }

    /** Returns the specification of an anonymous actor of the scope, with the defaults of the scope. */
    ActorSpec forActor(Scope scope, CreationStrategy actorStrategy) {
        return actors.in(scope, actorStrategy);
    }

    private ScopeSpec copy() {
        try {
            return (ScopeSpec) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    // ---- What is specified. ----

    public @Nullable Scope parent() {
        return parent;
    }

    String name() {
        return name;
    }

    public @Nullable CreationStrategy strategy() {
        return strategy;
    }

    List<ActorListener> listeners() {
        return listeners;
    }

    @Nullable Carriers carriers() {
        return actors.carriers();
    }

    TimeSource time() {
        return time;
    }

    RandomGenerator random() {
        return random;
    }

    Duration closeTimeout() {
        return closeTimeout;
    }

    ScopeLimits limits() {
        return limits;
    }

    /** Returns whether the limits of the scopes around it are not for the scope. */
    boolean isServing() {
        return isServing;
    }

    Watchdog watchdog() {
        return watchdog;
    }

    /** Returns whether the scope has a list of its actors. */
    boolean listsActors() {
        return parent != null || !WatchdogThread.isNone(watchdog) || measures != null;
    }

    /** Returns who listens to the measures of the scope; null if that is as in the scope around it. */
    Measuring.@Nullable Setting measures() {
        return measures;
    }

    /** Returns the prefix of the names that anonymous actors get. */
    String anonymousPrefix() {
        return isCrew ? name + "#" : "anonymous-";
    }

    boolean closesAtShutdown() {
        return closesAtShutdown;
    }

    boolean keepsJvmAlive() {
        return keepsJvmAlive;
    }

    // ---- Changed copies. ----

    private ScopeSpec with(ActorSpec newActors) {
        var copy = copy();
        copy.actors = newActors;
        return copy;
    }

    @Override
    public ScopeSpec strategy(CreationStrategy newStrategy) {
        var copy = copy();
        copy.strategy = Objects.requireNonNull(newStrategy, "strategy");
        return copy;
    }

    @Override
    public ScopeSpec mailbox(MailboxPolicy policy) {
        return with(actors.with(Objects.requireNonNull(policy, "policy")));
    }

    @Override
    public ScopeSpec onFailure(FailurePolicy policy) {
        return with(actors.with(Objects.requireNonNull(policy, "policy")));
    }

    @Override
    public ScopeSpec listener(ActorListener listener) {
        var more = new ArrayList<>(listeners);
        more.add(Objects.requireNonNull(listener, "listener"));
        var copy = copy();
        copy.listeners = List.copyOf(more);
        return copy;
    }

    @Override
    public ScopeSpec carry(ContextCarrier carrier) {
        var added = new Carriers.Entry(Objects.requireNonNull(carrier, "carrier"));
        return with(actors.carrying(Carriers.with(carriers(), added)));
    }

    @Override
    public ScopeSpec around(Interceptor interceptor) {
        return with(Interceptors.with(actors, Objects.requireNonNull(interceptor, "interceptor"), true));
    }

    @Override
    public ScopeSpec withoutDefaults() {
        return with(Setting.handDown(actors, Setting.Heir.OWN));
    }

    /**
     * Returns the builder of a scope for actors of the library on which those of the program depend. What a program
     * sets for its own actors, and its limits, must not lose messages of these, or hold them up. Their messages carry
     * nothing: they are on the way of the messages of others, whose context they must not replace.
     */
    public static ScopeBuilder serving(ActorScope around, String name, CreationStrategy strategy) {
        var inside = (ScopeSpec) around.child(name);
        var copy = inside.with(Setting.handDown(inside.actors, Setting.Heir.SERVICE));
        copy.strategy = strategy;
        copy.isServing = true;
        return copy;
    }

    @Override
    public ScopeSpec senderSites(int oneOf) {
        return with(actors.carrying(Carriers.with(carriers(), new SenderSites(oneOf))));
    }

    @Override
    public ScopeSpec ownStack() {
        return with(actors.onOwnStack(true));
    }

    @Override
    public ScopeSpec time(TimeSource newTime) {
        var copy = copy();
        copy.time = Objects.requireNonNull(newTime, "time");
        return copy;
    }

    @Override
    public ScopeSpec limits(ScopeLimits newLimits) {
        var copy = copy();
        copy.limits = Objects.requireNonNull(newLimits, "limits");
        return copy;
    }

    @Override
    public ScopeSpec watchdog(Watchdog newWatchdog) {
        var copy = copy();
        copy.watchdog = Objects.requireNonNull(newWatchdog, "watchdog");
        return copy;
    }

    @Override
    public ScopeSpec measures(MeasureListener listener) {
        return measuredBy(Measuring.Setting.of(listener));
    }

    @Override
    public ScopeSpec measures(MeasureListener listener, MeasureOptions options) {
        return measuredBy(new Measuring.Setting(listener, options));
    }

    private ScopeSpec measuredBy(Measuring.@Nullable Setting setting) {
        var copy = copy();
        copy.measures = setting;
        return copy;
    }

    /** Returns this specification with the listener for measures that is provided as a service, if no other was given. */
    public ScopeSpec orMeasuredByProvider() {
        return measures != null ? this : measuredBy(Measuring.Setting.provided());
    }

    @Override
    public ScopeSpec nameActorsInMdc() {
        return with(actors.namedInLog(true));
    }

    /** Returns the specification of a crew that works for an actor, whose name is in front of its anonymous actors' names. */
    public ScopeSpec asCrew(ActorSpec like) {
        var copy = with(Setting.handDown(like.in(like.scope(), like.strategy()), Setting.Heir.CREW)
                .carrying(carriers()));
        copy.strategy = like.strategy();
        copy.isCrew = true;
        return copy;
    }

    @Override
    public ScopeSpec closeAtShutdown() {
        var copy = copy();
        copy.closesAtShutdown = true;
        return copy;
    }

    @Override
    public ScopeSpec keepJvmAlive() {
        var copy = copy();
        copy.keepsJvmAlive = true;
        return copy;
    }

    @Override
    public ScopeSpec random(RandomGenerator newRandom) {
        var copy = copy();
        copy.random = Objects.requireNonNull(newRandom, "random");
        return copy;
    }

    @Override
    public ScopeSpec closeTimeout(Duration timeout) {
        Durations.nanos(timeout, "timeout");
        var copy = copy();
        copy.closeTimeout = timeout;
        return copy;
    }

    /** Returns this specification without a strategy of its own. */
    public ScopeSpec followingDefaultStrategy() {
        var copy = copy();
        copy.strategy = null;
        return copy;
    }

    /** Throws {@link IllegalArgumentException} if the specification asks for what needs a scope that can be closed. */
    public void requireFitsRoot() {
        if (closesAtShutdown || keepsJvmAlive) {
            throw new IllegalArgumentException("the root scope is never closed: "
                    + (closesAtShutdown ? "closeAtShutdown" : "keepJvmAlive") + " is for other scopes");
        }
    }

    @Override
    public ActorScope open() {
        return Objects.requireNonNull(parent, "the root scope is open").open(this);
    }

    @Override
    public String toString() {
        return "ScopeBuilder[" + name + "]";
    }
}
