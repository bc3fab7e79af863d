package io.fibry.internal.scope;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.ContextCarrier;
import io.fibry.Counters;
import io.fibry.CreationStrategy;
import io.fibry.ScopeBuilder;
import io.fibry.StopReport;
import io.fibry.dump.Dump;
import io.fibry.dump.DumpOptions;
import io.fibry.event.ActorListener;
import io.fibry.event.Undelivered.Cause;
import io.fibry.function.Body;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Details;
import io.fibry.internal.actor.ExtendedState;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.Services;
import io.fibry.internal.actor.StandIn;
import io.fibry.internal.actor.Supervision.Inheritance;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.context.Carriers;
import io.fibry.internal.context.ScopeCarriers;
import io.fibry.internal.details.TimeoutDetails;
import io.fibry.internal.limit.Budget;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.report.EventLog;
import io.fibry.internal.report.Events;
import io.fibry.internal.report.Fates;
import io.fibry.internal.run.RunningLimit;
import io.fibry.internal.run.Strategies;
import io.fibry.internal.watchdog.WatchdogThread;
import io.fibry.time.Cancellable;
import io.fibry.time.Schedule;
import io.fibry.time.Scheduled;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A scope of actors. {@link Closing} closes it, and {@link ScopeStage} is its progress in that. The root scope is never
 * closed. Unless it has a watchdog or is measured, it has no list of members, so an anonymous actor of it is its cell only.
 */
public final class Scope extends ShownScope {
    private final ScopeSpec spec;
    private final Wiring wiring;
    private final Events events;
    private final Fates fates = new Fates();
    private final Details details;
    private final ScopeCarriers scopeCarriers;
    private final boolean isRoot;
    private final @Nullable Members members;
    private final ScopeReport end = new ScopeReport();
    private final Jobs jobs = new Jobs(this);
    private final @Nullable Budget budget;
    private final ScopeStrategies strategies;
    /**
     * The watchdog that looks at the actors: that of this scope, or else that of the nearest scope around it that
     * has one.
     */
    private final @Nullable WatchdogThread watchdog;
    final ScopeMeasures measures;
    private final InnerScopes inner;
    private final ScopeStage stage = new ScopeStage(this);
    private final Resources resources = new Resources(this);
    /**
     * The stand-in threads that were abandoned and still run, with the actors to which they belonged. The turn
     * lists the thread before the CAS that abandons it; the thread that has seen that removes itself.
     */
    private final Map<StandIn, Cell> abandoned = new ConcurrentHashMap<>();
    private final ScopeAnchors anchors = new ScopeAnchors(this);
    /**
     * A cache. Written by makers of actors, and cleared by threads that change the carriers; see {@link
     * ScopeCarriers}.
     */
    volatile @Nullable Builder defaults;

    /** Returns the scope of an actor. */
    static Scope of(ActorSpec actor) {
        return (Scope) actor.scope(); // Scope is the only Host
    }

    /** Makes the root scope. */
    public static Scope root(ScopeSpec spec, Wiring wiring) {
        var root = new Scope(spec, wiring, true);
        root.opened();
        return root;
    }

    private Scope(ScopeSpec spec, Wiring wiring, boolean counts) {
        this.spec = spec;
        this.wiring = wiring;
        var around = spec.parent();
        events = new Events(around == null ? null : around.events, new EventLog(spec.time()), spec.name(),
                wiring.recorder());
        isRoot = around == null;
        inner = new InnerScopes(isRoot);
        members = spec.listsActors() ? new Members() : null;
        measures = new ScopeMeasures(this, spec);
        scopeCarriers = new ScopeCarriers(measures.with(spec.carriers()), new DefaultsReset(this));
        details = new TimeoutDetails(spec.time());
        budget = Budget.of(spec.name(), spec.limits(),
                around == null || !counts || spec.isServing() ? null : around.budget);
        strategies = new ScopeStrategies(spec, around == null ? null : around.strategies);
        for (var listener : spec.listeners()) {
            listen(listener);
        }
        watchdog = WatchdogThread.of(this, spec.watchdog(), around == null ? null : around.watchdog,
                wiring.dumpsTo(this, spec.watchdog().dumps()));
        if (watchdog != null) {
            watchdog.cover(this);
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
     * Opens a scope inside this one that its owner closes, not this scope. Its actors need no places of the budget
     * of this scope, since their messages were counted when they came to the owner.
     */
    Scope workers(ActorSpec like) {
        return new Scope(crewOf(like, "workers"), wiring, false);
    }

    /** Opens a scope for the actors of a server. */
    Scope crew(ActorSpec like, String what) {
        return inner.withCrew(new Scope(crewOf(like, what), wiring, true));
    }

    private ScopeSpec crewOf(ActorSpec like, String what) {
        return inside(like.nameToGive() == null ? what : like.nameToGive() + "-" + what).asCrew(like);
    }

    Scope open(ScopeSpec childSpec) {
        var child = new Scope(childSpec, wiring, true);
        inner.add(child);
        if (!stage.isOpen()) {
            child.releaseAll();
            throw closed("scope '" + childSpec.name() + "' cannot be opened inside it");
        }
        child.opened();
        return child;
    }

    /** Completes the opening. The scope around this one has listed it before. */
    private void opened() {
        anchors.set(spec);
        if (watchdog != null && watchdog.isOf(this)) {
            watchdog.start();
        }
        if (stage.isClosed()) {
            // The scope around it was closed in the meantime, and this one with it.
            releaseAll();
            ended(new StopReport(name(), true, false, List.of(), counters()));
        }
    }

    /** Returns whether the caller may make actors, and keep messages for names that no actor has. */
    boolean takesIn() {
        return stage.admitsCaller();
    }

    // ---- Making and finding actors. ----

    @Override
    public ActorBuilder anonymous() {
        return defaults();
    }

    private Builder defaults() {
        var strategy = within(strategy());
        var cached = defaults;
        if (cached == null || !Objects.equals(cached.spec().strategy(), strategy)) { // mostly the same: equals() is not linked
            var carriers = carriers();
            cached = new Builder(spec.forActor(this, strategy).carrying(carriers));
            defaults = cached;
            if (carriers() != carriers) {
                defaults = null; // it was already out of date: a thread that changes the carriers clears the field after that
            }
        }
        return cached;
    }

    @Override
    public ActorBuilder named(String name) {
        return new Builder(defaults().spec().named(ActorSpec.checkedName(name)));
    }

    public @Nullable WatchdogThread sampler() {
        return watchdog;
    }

    @Override
    public @Nullable Budget budget() {
        return budget;
    }

    /** Returns whether the budget is that of this scope or of a scope around it. */
    @Override
    public boolean isWithin(Budget other) {
        for (var scope = this; scope != null; scope = scope.spec.parent()) {
            if (scope.budget == other) {
                return true;
            }
        }
        return false;
    }

    /** Returns the strategy with the limits of this scope and of the scopes around it. */
    @Override
    public CreationStrategy within(CreationStrategy strategy) {
        return strategies.within(strategy);
    }

    private CreationStrategy strategy() {
        var ofScope = strategies.ofScope();
        return ofScope != null ? ofScope : wiring.defaultStrategy();
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

    /** Admits a new actor and starts it with its first node, if there is one. */
    @Override
    public void admit(Cell cell, @Nullable Node first) {
        new Admission(this, cell).run(first);
    }

    /** Admits a new actor without a start. The caller starts it later, with the same node. */
    public void admitWaiting(Cell cell, Node first) {
        new Admission(this, cell).runButStart(first);
    }

    @Override
    public Scheduled schedule(Schedule schedule, Body task) {
        return jobs.run(schedule, task);
    }

    @Override
    public Scheduled schedule(Schedule schedule, Duration limit, Body task) {
        return jobs.run(schedule, limit, task);
    }

    @Override
    public <M> Scheduled schedule(Schedule schedule, Actor<M, ?> actor, M message) {
        return jobs.send(schedule, actor, message);
    }

    // ---- Context. ----

    /**
     * Adds a carrier for actors that are made from now on.
     *
     * @param carrier the carrier
     * @return removes the carrier
     */
    public Cancellable carry(ContextCarrier carrier) {
        return scopeCarriers.add(Objects.requireNonNull(carrier, "carrier"));
    }

    // ---- For the engine. ----

    @Nullable Carriers carriers() {
        return scopeCarriers.carriers();
    }

    /** Returns the prefix of the names that anonymous actors get. */
    @Override
    public String anonymousPrefix() {
        return spec.anonymousPrefix();
    }

    @Override
    public boolean isClosing() {
        return !stage.isOpen();
    }

    public boolean isClosed() {
        return stage.isClosed();
    }

    public @Nullable Members members() {
        return members;
    }

    @Override
    public TimeSource time() {
        return spec.time;
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
    public Services services() {
        return wiring;
    }

    /** Returns the texts about what an actor is doing, for exceptions about time-outs. */
    @Override
    public Details details() {
        return details;
    }

    @Override
    public Fates fates() {
        return fates;
    }

    /** Keeps an actor from being collected, since it has something to do at its end. */
    @Override
    public void holdOn(Cell cell) {
        if (members != null) {
            members.holdOn(cell);
        }
    }

    @Override
    public void forget(Cell cell) {
        if (members != null) {
            members.remove(cell);
            stage.leaveIfOver();
        }
    }

    /** Returns the actors that have not exited. */
    @Override
    public List<Cell> cells() {
        return members == null ? List.of() : members.cells();
    }

    /** Returns the scopes that are closed with this one. */
    public Set<Scope> children() {
        return inner.closedWithIt();
    }

    public InnerScopes inner() {
        return inner;
    }

    /** Returns the stand-in threads that were abandoned and still run, with the actors to which they belonged. */
    @Override
    public Map<StandIn, Cell> abandoned() {
        return abandoned;
    }

    // ---- Listening and counting. ----

    @Override
    public Dump dump(DumpOptions options) {
        return wiring.dump(this, Objects.requireNonNull(options, "options"));
    }

    @Override
    public boolean awaitIdle(Duration limit) throws InterruptedException {
        return ScopeDrain.awaitIdle(this, limit);
    }

    /** Returns the limit on how many turns of this scope run at a time; null if the scope itself has none. */
    public @Nullable RunningLimit runningLimit() {
        return strategies.limit();
    }

    /** Returns how many jobs are scheduled. */
    public int jobCount() {
        return jobs.size();
    }

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
        stop(hasEnded() ? Duration.ZERO : spec.closeTimeout()); // what was given up has had its time
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

    @Override
    public CompletableFuture<StopReport> onStopped() {
        if (isRoot) {
            throw new IllegalStateException("the root scope is never closed");
        }
        return end.future();
    }

    @Override
    public boolean hasEnded() {
        return end.isOver();
    }

    /** Sets the report on the end of this scope. */
    void ended(StopReport report) {
        end.give(report);
    }

    /** Refuses messages from outside from now on, in this scope and in the inner scopes. */
    void stopIntake() {
        stage.drain();
        assert Interleave.here();
        jobs.cancelAll();
        cells().forEach(cell -> cell.extendedState().drain());
        if (budget != null) {
            budget.wakeSenders();
        }
        children().forEach(Scope::stopIntake);
    }

    /** Releases what refers to this scope, when all actors that could be stopped have stopped. */
    void releaseAll() {
        stage.release();
        if (watchdog != null) {
            watchdog.uncover(this);
        }
        measures.release();
        anchors.release();
        end.release();
    }

    ScopeStage stage() {
        return stage;
    }

    /** Returns whether a job of this scope, or of an inner scope, has begun and its actor does not work yet. */
    boolean isStartingJobs() {
        return jobs.isStarting() || children().stream().anyMatch(Scope::isStartingJobs);
    }

    /**
     * Adds the actors of this scope, of the inner scopes, and of the crews of these actors. Returns whether these were
     * all: none was added meanwhile to a list that was read before, by an actor that ended before its own list was read.
     */
    boolean collect(List<Cell> found) {
        var seen = new HashMap<Scope, Seen>();
        collect(found, seen);
        assert Interleave.here();
        for (var each : seen.entrySet()) {
            var scope = each.getKey();
            if (scope.added() != each.getValue().added || !each.getValue().inside.equals(scope.children())) {
                return false;
            }
        }
        return true;
    }

    /** What a scope had before it was looked at: how many actors were ever added, and which scopes were inside. */
    private record Seen(long added, Set<Scope> inside) {
    }

    private long added() {
        return members == null ? 0 : members.added();
    }

    private void collect(List<Cell> found, Map<Scope, Seen> seen) {
        var inside = Set.copyOf(children());
        seen.put(this, new Seen(added(), inside));
        for (var cell : members == null ? List.<Cell>of() : members.untold()) {
            found.add(cell);
            var crew = cell.behavior().crew().orElse(null);
            if (crew != null) {
                ((Scope) crew).collect(found, seen);
            }
        }
        for (var child : inside) {
            child.collect(found, seen);
        }
    }

    @Override
    public @Nullable Cause refusal(ExtendedState extended) {
        return stage.refusal(extended);
    }

    public @Nullable Scope parent() {
        return spec.parent();
    }

    @Override
    public String toString() {
        var actors = members == null ? "" : ", actors: " + cells().size();
        return "ActorScope[" + name() + ", " + stage + actors
                + (children().isEmpty() ? "" : ", scopes inside: " + children().size()) + "]";
    }
}
