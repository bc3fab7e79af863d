package io.fibry.internal.scope;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.ContextCarrier;
import io.fibry.Counters;
import io.fibry.CreationStrategy;
import io.fibry.ScopeBuilder;
import io.fibry.StopReport;
import io.fibry.Watchdog;
import io.fibry.WhenAbsent;
import io.fibry.event.ActorListener;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.ExtendedState;
import io.fibry.internal.actor.Features;
import io.fibry.internal.actor.Host;
import io.fibry.internal.actor.Inheritance;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.StandIn;
import io.fibry.internal.actor.TimeoutDetails;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.context.Carriers;
import io.fibry.internal.context.ScopeCarriers;
import io.fibry.internal.limit.Budget;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.report.EventLog;
import io.fibry.internal.report.Events;
import io.fibry.internal.report.Fates;
import io.fibry.internal.run.LimitedStrategy;
import io.fibry.internal.run.RunningLimit;
import io.fibry.internal.run.Strategies;
import io.fibry.internal.watchdog.WatchdogThread;
import io.fibry.time.Cancellable;
import io.fibry.time.Scheduler;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A scope. The root scope is one that is never closed: it has no list of its members, unless a watchdog is to look at
 * them, so an anonymous actor there is nothing but its cell.
 * {@link Closing} closes it, and {@link ScopeStage} knows how far that is.
 */
public final class Scope extends Host {
    private final ScopeSpec spec;
    private final Wiring wiring;
    private final Events events;
    private final Fates fates = new Fates();
    private final TimeoutDetails whereabouts;
    private final ScopeCarriers carrying;
    private final Names names = new Names();
    private final boolean isRoot;
    private final @Nullable Members members;
    private final Jobs jobs = new Jobs(this);
    private final @Nullable Budget budget;
    private final @Nullable RunningLimit turnstile;
    /** Whether here or in a scope around only so many turns may run. */
    private final boolean limited;
    /** What looks at its actors; that of a scope around, if it has none of its own. */
    private final @Nullable WatchdogThread sampler;
    private final Set<Scope> children = ConcurrentHashMap.newKeySet();
    private final ScopeStage stage = new ScopeStage(this);
    private final Resources resources = new Resources(this);
    /** The threads that its actors have gone on without and that still run. */
    private final Map<StandIn, Cell> abandoned = new ConcurrentHashMap<>();
    private final ScopeAnchors anchors = new ScopeAnchors(this);
    private volatile @Nullable Builder defaults;

    private Scope(ScopeSpec spec, Scope around) {
        this(spec, around.wiring, true);
    }

    /** The scope of an actor. */
    static Scope of(ActorSpec actor) {
        return (Scope) actor.scope(); // there is no other kind
    }

    /** The scope around all others. */
    public static Scope root(ScopeSpec spec, Wiring wiring) {
        var root = new Scope(spec, wiring, true);
        root.opened();
        return root;
    }

    private Scope(ScopeSpec spec, Wiring wiring, boolean counts) {
        this.spec = spec;
        this.wiring = wiring;
        var around = spec.parent();
        events = new Events(around == null ? null : around.events, new EventLog(spec.time()::nanoTime));
        isRoot = around == null;
        members = isRoot && spec.watchdog().equals(Watchdog.none()) ? null : new Members();
        carrying = new ScopeCarriers(spec.carriers(), () -> defaults = null);
        whereabouts = new TimeoutDetails(spec.time());
        budget = Budget.of(spec.name(), spec.limits(), around == null || !counts ? null : around.budget);
        turnstile = spec.limits().running().isPresent()
                ? new RunningLimit(spec.limits().running().getAsInt()) : null;
        limited = turnstile != null || (around != null && around.limited);
        spec.listeners().forEach(this::listen);
        sampler = WatchdogThread.of(this, spec.watchdog(), around == null ? null : around.sampler);
        if (sampler != null) {
            sampler.cover(this);
        }
    }

    @Override
    public String name() {
        return spec.name();
    }

    @Override
    public ScopeBuilder child(String name) {
        return inside(name);
    }

    private ScopeSpec inside(String child) {
        return ScopeSpec.inside(this, spec, child);
    }

    /**
     * Opens a scope inside this one that its owner closes, not this one. What its actors get has been counted when it came
     * to their owner.
     */
    Scope workers(String name) {
        return new Scope(inside(name).asCrew(), wiring, false);
    }

    /** The same for actors that are by default as {@code like} says. */
    Scope crew(ActorSpec like, String what) {
        var crewName = like.name() == null ? what : like.name() + "-" + what;
        return new Scope(inside(crewName).asCrew().strategy(like.strategy()).mailbox(like.mailbox())
                .onFailure(like.onFailure()), this);
    }

    Scope open(ScopeSpec childSpec) {
        var child = new Scope(childSpec, this);
        if (!isRoot) {
            children.add(child);
        }
        if (!stage.isOpen()) {
            child.releaseAll();
            throw closed("a scope cannot be opened inside it");
        }
        child.opened();
        return child;
    }

    /** It is known to the scope around it: now others may hear of it. */
    private void opened() {
        anchors.set(spec);
        if (sampler != null && sampler.isOf(this)) {
            sampler.start();
        }
        if (stage.isClosed()) {
            releaseAll(); // the scope around it was closed meanwhile, and this one with it
        }
    }

    /** Whether the caller may make actors, and send to those that are not there yet. */
    boolean takesIn() {
        return stage.admitsCaller();
    }

    // ---- Making and finding actors. ----

    @Override
    public ActorBuilder anonymous() {
        var strategy = within(strategy());
        var cached = defaults;
        if (cached == null || !cached.spec().strategy().equals(strategy)) {
            var carriers = carriers();
            cached = new Builder(spec.forActor(this, strategy).carrying(carriers));
            defaults = cached;
            if (carriers() != carriers) {
                defaults = null; // it was out of date already: whoever changes them forgets it after that
            }
        }
        return cached;
    }

    @Override
    public ActorBuilder named(String name) {
        return new Builder(spec.forActor(this, within(strategy())).carrying(carriers())
                .named(ActorSpec.checkedName(name)));
    }

    public @Nullable WatchdogThread sampler() {
        return sampler;
    }

    @Override
    public @Nullable Budget budget() {
        return budget;
    }

    /** Whether this scope, or one around it, has that budget. */
    @Override
    public boolean isWithin(Budget other) {
        for (var scope = this; scope != null; scope = scope.spec.parent()) {
            if (scope.budget == other) {
                return true;
            }
        }
        return false;
    }

    /** The strategy with the limits of this scope and of those around it. */
    @Override
    public CreationStrategy within(CreationStrategy strategy) {
        var result = strategy;
        for (var scope = this; scope != null && scope.limited && Strategies.counts(strategy); scope =
                scope.spec.parent()) {
            if (scope.turnstile != null && !scope.turnstile.isIn(result)) {
                result = new LimitedStrategy(result, scope.turnstile);
            }
        }
        return result;
    }

    private CreationStrategy strategy() {
        for (var scope = this; scope != null; scope = scope.spec.parent()) {
            var own = scope.spec.strategy();
            if (own != null) {
                return own;
            }
        }
        return wiring.defaultStrategy();
    }

    @Override
    @SuppressWarnings("unchecked") // the caller's claim, as documented
    public <M, R extends @Nullable Object> Optional<Actor<M, R>> find(String name) {
        return names.find(Objects.requireNonNull(name, "name")).map(cell -> (Actor<M, R>) cell);
    }

    @Override
    public <M, R extends @Nullable Object> Actor<M, R> findOrMake(String name,
            Function<? super ActorBuilder, ? extends Actor<M, R>> maker) {
        Objects.requireNonNull(maker, "maker");
        return new FindOrMake(this, ActorSpec.checkedName(name)).run(maker);
    }

    @Override
    public SortedSet<String> names() {
        return names.taken();
    }

    @Override
    public boolean sendMessage(String name, Object message, WhenAbsent absent) {
        return new SendToName(this, ActorSpec.checkedName(name)).run(
                Objects.requireNonNull(message, "message"),
                Objects.requireNonNull(absent, "absent"));
    }

    @Override
    public ActorBuilder childOf(Cell parent, @Nullable String name) {
        var builder = (Builder) (name == null ? anonymous() : named(name));
        return new Builder(builder.spec().childOf(parent));
    }

    @Override
    public ActorBuilder successorOf(Cell parent, String name, Inheritance mail) {
        return new Builder(((Builder) childOf(parent, name)).spec().leavingTo(mail));
    }

    /** Takes in a new actor and starts it, with its first node if it has one. */
    @Override
    public void admit(Cell cell, @Nullable Node first) {
        new Admission(this, cell).run(first);
    }

    /** The same, but who calls starts it, with this node. */
    public void admitWaiting(Cell cell, Node first) {
        new Admission(this, cell).runButStart(first);
    }

    IllegalStateException closed(String consequence) {
        return new IllegalStateException("scope '" + name() + "' is closed: " + consequence);
    }

    @Override
    public Scheduler scheduler() {
        return jobs;
    }

    // ---- Context. ----

    /**
     * Adds a carrier for actors that are made from now on.
     *
     * @param carrier the carrier
     * @return takes it away again
     */
    public Cancellable carry(ContextCarrier carrier) {
        return carrying.add(Objects.requireNonNull(carrier, "carrier"));
    }

    // ---- For the engine. ----

    @Nullable Carriers carriers() {
        return carrying.carriers();
    }

    /** What the made-up names of its actors begin with. */
    @Override
    public String anonymousPrefix() {
        return spec.anonymousPrefix();
    }

    public boolean isClosing() {
        return !stage.isOpen();
    }

    boolean isClosed() {
        return stage.isClosed();
    }

    public Names nameTable() {
        return names;
    }

    /** Its actors; the root scope has no list of them. */
    public @Nullable Members members() {
        return members;
    }

    @Override
    public TimeSource time() {
        return spec.time();
    }

    @Override
    public RandomGenerator random() {
        return spec.random();
    }

    @Override
    public Duration closeTimeout() {
        return spec.closeTimeout();
    }

    @Override
    public Events events() {
        return events;
    }

    Wiring wiring() {
        return wiring;
    }

    @Override
    public Features features() {
        return wiring;
    }

    /** Says what an actor is doing. */
    @Override
    public TimeoutDetails whereabouts() {
        return whereabouts;
    }

    @Override
    public Fates fates() {
        return fates;
    }

    /** An actor has something to do at its end: it is kept for that. */
    @Override
    public void holdOn(Cell cell) {
        if (cell.extendedState().membership instanceof Member member) {
            member.holdOn(cell);
        }
    }

    /** An actor has ended. */
    @Override
    public void forget(Cell cell) {
        var name = cell.spec().name();
        if (name != null) {
            names.free(name, cell);
        }
        if (members != null) {
            members.remove(cell);
        }
    }

    /** The actors that are alive. */
    @Override
    public List<Cell> cells() {
        return members == null ? List.of() : members.cells();
    }

    public Set<Scope> children() {
        return children;
    }

    /** The threads that its actors have gone on without, with whose they were. */
    @Override
    public Map<StandIn, Cell> abandoned() {
        return abandoned;
    }

    // ---- Listening and counting. ----

    @Override
    public Cancellable listen(ActorListener listener) {
        return events.listen(Objects.requireNonNull(listener, "listener"));
    }

    @Override
    public Counters counters() {
        return fates.counters();
    }

    // ---- Closing. ----

    @Override
    public void close() {
        stop(spec.closeTimeout());
    }

    @Override
    public StopReport stop(Duration deadline) {
        var nanos = Durations.nanos(deadline, "deadline");
        if (isRoot) {
            throw new IllegalStateException("the root scope cannot be closed");
        }
        return Closing.run(this, nanos);
    }

    @Override
    public ActorScope closeOnExit(AutoCloseable resource) {
        Objects.requireNonNull(resource, "resource");
        if (isRoot) {
            throw new IllegalStateException("the root scope is never closed, nor is a resource of it");
        }
        resources.add(resource, () -> spec.forActor(this, Strategies.FIBERS));
        return this;
    }

    /** From now on who sends from outside is refused, here and in the scopes inside. */
    void stopIntake() {
        stage.drain();
        Interleave.here();
        jobs.cancelAll();
        cells().forEach(cell -> cell.extendedState().drain());
        if (budget != null) {
            budget.wakeSenders();
        }
        children.forEach(Scope::stopIntake);
    }

    /** From now on no actor can be made at all. */
    void stopAdmitting() {
        stage.close();
    }

    /** All is stopped that could be. */
    void releaseAll() {
        var around = spec.parent();
        if (around != null) {
            around.children.remove(this);
        }
        if (sampler != null) {
            sampler.uncover(this);
        }
        anchors.release();
    }

    /** Whether something scheduled, here or in a scope inside, is on its way to an actor. */
    boolean isStartingJobs() {
        return jobs.isStarting() || children.stream().anyMatch(Scope::isStartingJobs);
    }

    /** Adds the actors of this scope, of those inside it, and of those that do the work of one of them. */
    void collect(List<Cell> found) {
        for (var cell : cells()) {
            found.add(cell);
            cell.behavior().crew().ifPresent(crew -> ((Scope) crew).collect(found));
        }
        children.forEach(child -> child.collect(found));
    }

    /** Why an actor that is not simply open does not take a message; null if it does. */
    @Override
    public @Nullable Cause refusal(ExtendedState companion) {
        if (companion.hasClosed()) {
            return Cause.STOPPED;
        }
        // mutant: closing-scope-refuses-its-own-messages
        return !companion.isDraining() || stage.isCalledFromInside() ? null : Cause.CLOSING;
    }

    @Nullable Scope parent() {
        return spec.parent();
    }

    /** Messages that are kept for names will have no actor. */
    void reportKept() {
        names.takeKept().forEach(
                kept -> new SendToName(this, kept.name()).lose(Fates.Kind.UNDELIVERED, kept.message()));
    }

    @Override
    public String toString() {
        var actors = members == null ? "" : ", actors: " + cells().size();
        return "ActorScope[" + name() + ", " + stage + actors + (children.isEmpty() ? "" : ", scopes inside: "
                + children.size()) + "]";
    }
}
