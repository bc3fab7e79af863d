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
    MailboxPolicy mailbox = MailboxPolicy.unbounded();
    FailurePolicy onFailure = FailurePolicy.resume();
    private List<ActorListener> listeners = List.of();
    @Nullable Carriers carriers;
    List<Interceptor> interceptors = List.of();
    TimeSource time = SystemTime.INSTANCE;
    RandomGenerator random = SystemRandom.INSTANCE;
    Duration closeTimeout = CLOSE_TIMEOUT;
    private ScopeLimits limits = ScopeLimits.none();
    private Watchdog watchdog = Watchdog.none();
    private Measuring.@Nullable Setting measures;
    boolean ownStack;
    boolean namesActorsInMdc;
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
        Setting.handDown(like, spec, Setting.Heir.SCOPE);
        spec.carriers = parent.carriers(); // they may have changed since the scope was opened
        if (spec.time == SystemTime.INSTANCE) {
            spec.time = SystemTime.orStandIn();
        }
        return spec;
    }

    /** Returns the specification of an anonymous actor of the scope, with the defaults of the scope. */
    ActorSpec forActor(Scope scope, CreationStrategy actorStrategy) {
        return Setting.handDown(this, Setting.bare(scope, actorStrategy));
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
        return carriers;
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

    @Override
    public ScopeSpec strategy(CreationStrategy newStrategy) {
        Objects.requireNonNull(newStrategy, "strategy");
        var copy = copy();
        copy.strategy = newStrategy;
        return copy;
    }

    @Override
    public ScopeSpec mailbox(MailboxPolicy policy) {
        Objects.requireNonNull(policy, "policy");
        var copy = copy();
        copy.mailbox = policy;
        return copy;
    }

    @Override
    public ScopeSpec onFailure(FailurePolicy policy) {
        Objects.requireNonNull(policy, "policy");
        var copy = copy();
        copy.onFailure = policy;
        return copy;
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
        var copy = copy();
        copy.carriers = Carriers.with(carriers, added);
        return copy;
    }

    @Override
    public ScopeSpec around(Interceptor interceptor) {
        var more = new ArrayList<>(interceptors);
        more.add(Objects.requireNonNull(interceptor, "interceptor"));
        var copy = copy();
        copy.interceptors = List.copyOf(more);
        return copy;
    }

    @Override
    public ScopeSpec withoutInterceptors() {
        var copy = copy();
        copy.interceptors = List.of();
        return copy;
    }

    /** Returns this specification for a {@link ServiceScope}. */
    ScopeSpec serving(CreationStrategy own) {
        var service = new ScopeSpec(parent, name);
        Setting.handDown(this, service, Setting.Heir.SERVICE);
        service.strategy = own;
        service.isServing = true;
        return service;
    }

    @Override
    public ScopeSpec senderSites(int oneOf) {
        var copy = copy();
        copy.carriers = Carriers.with(carriers, new SenderSites(oneOf));
        return copy;
    }

    @Override
    public ScopeSpec ownStack() {
        var copy = copy();
        copy.ownStack = true;
        return copy;
    }

    @Override
    public ScopeSpec time(TimeSource newTime) {
        Objects.requireNonNull(newTime, "time");
        var copy = copy();
        copy.time = newTime;
        return copy;
    }

    @Override
    public ScopeSpec limits(ScopeLimits newLimits) {
        Objects.requireNonNull(newLimits, "limits");
        var copy = copy();
        copy.limits = newLimits;
        return copy;
    }

    @Override
    public ScopeSpec watchdog(Watchdog newWatchdog) {
        Objects.requireNonNull(newWatchdog, "watchdog");
        var copy = copy();
        copy.watchdog = newWatchdog;
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
        var copy = copy();
        copy.namesActorsInMdc = true;
        return copy;
    }

    /** Returns the specification of a crew whose actors have the strategy, the mailbox and the failure policy of another actor. */
    public ScopeSpec asCrew(ActorSpec like) {
        return asCrew().strategy(like.strategy()).mailbox(like.mailbox()).onFailure(like.onFailure());
    }

    /** Returns the specification of a crew. The names of its anonymous actors begin with the name of the crew. */
    ScopeSpec asCrew() {
        var crew = new ScopeSpec(parent, name);
        Setting.handDown(this, crew, Setting.Heir.CREW);
        crew.isCrew = true;
        return crew;
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
        Objects.requireNonNull(newRandom, "random");
        var copy = copy();
        copy.random = newRandom;
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
