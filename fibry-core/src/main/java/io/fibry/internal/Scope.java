package io.fibry.internal;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorExecutor;
import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.CreationStrategy;
import io.fibry.ScopeBuilder;
import io.fibry.StopReport;
import io.fibry.WhenAbsent;
import io.fibry.event.ActorListener;
import io.fibry.event.Started;
import io.fibry.event.Undelivered;
import io.fibry.event.Undelivered.Cause;
import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A scope. The root scope is one that is never closed: it has no list of its members, so an anonymous actor
 * there is nothing but its cell.
 *
 * <p>{@code closing} is set before the members are listed, and a new actor is listed before it looks at
 * {@code closing}: one that comes too late either is stopped with the others or sees that it must not be.
 */
public final class Scope implements ActorScope {
    private final ScopeSpec spec;
    private final Events events;
    private final Fates fates = new Fates();
    private final Names names = new Names();
    private final @Nullable Members members;
    private final Set<Scope> children = ConcurrentHashMap.newKeySet();
    private volatile boolean closing;
    private volatile @Nullable Builder defaults;

    Scope(ScopeSpec spec) {
        this.spec = spec;
        var around = spec.parent();
        events = new Events(around == null ? null : around.events, new EventLog(spec.time()::nanoTime));
        members = around == null ? null : new Members();
        spec.listeners().forEach(this::listen);
    }

    @Override
    public String name() {
        return spec.name();
    }

    @Override
    public ScopeBuilder child(String name) {
        return new ScopeSpec(this, Objects.requireNonNull(name, "name"), null, spec.mailbox(),
                spec.onFailure(),
                List.of(), spec.time(), spec.closeTimeout());
    }

    /** Opens a scope inside this one that its owner closes, not this one. */
    Scope crew(String name) {
        return new Scope((ScopeSpec) child(name));
    }

    /** The same for actors that are by default as {@code like} says. */
    Scope crew(ActorSpec like, String what) {
        var crewName = like.name() == null ? what : like.name() + "-" + what;
        return new Scope((ScopeSpec) child(crewName).strategy(like.strategy()).mailbox(like.mailbox())
                .onFailure(like.onFailure()));
    }

    Scope open(ScopeSpec childSpec) {
        var child = new Scope(childSpec);
        if (members != null) {
            children.add(child);
        }
        if (closing) {
            children.remove(child);
            throw closed("a scope cannot be opened inside it");
        }
        return child;
    }

    // ---- Making and finding actors. ----

    @Override
    public ActorBuilder anonymous() {
        var strategy = strategy();
        var cached = defaults;
        if (cached == null || !cached.spec().strategy().equals(strategy)) {
            cached = new Builder(spec.forActor(this, strategy));
            defaults = cached;
        }
        return cached;
    }

    @Override
    public ActorBuilder named(String name) {
        Objects.requireNonNull(name, "name");
        return new Builder(spec.forActor(this, strategy()).named(name));
    }

    private CreationStrategy strategy() {
        for (var scope = this; scope != null; scope = scope.spec.parent()) {
            var own = scope.spec.strategy();
            if (own != null) {
                return own;
            }
        }
        return Engine.defaultStrategy();
    }

    @Override
    @SuppressWarnings("unchecked") // the caller's claim, as documented
    public <M, R extends @Nullable Object> Optional<Actor<M, R>> find(String name) {
        return names.find(Objects.requireNonNull(name, "name")).map(cell -> (Actor<M, R>) cell);
    }

    @Override
    public boolean sendMessage(String name, Object message, WhenAbsent absent) {
        Objects.requireNonNull(message, "message");
        Objects.requireNonNull(absent, "absent");
        while (true) {
            var found = this.<Object, Object>find(name);
            if (found.isPresent()) {
                return found.get().sendMessage(message);
            }
            if (!closing && names.keep(name, message, absent)) {
                if (closing) {
                    reportKept();
                }
                return true;
            }
            if (closing || names.find(name).isEmpty()) {
                fates.add(Fates.Kind.REFUSED, 1);
                events.report(new Undelivered(name, message, Cause.NO_SUCH_ACTOR));
                return false;
            }
        }
    }

    /** Takes in a new actor and starts it, with its first node if it has one. */
    void admit(Cell cell, @Nullable Node first) {
        if (closing) {
            throw closed("no actor can be made in it");
        }
        var actor = cell.spec();
        if (actor.placement().executor() == null) {
            cell.companion().executor = Objects.requireNonNull(actor.strategy().executorFor(cell.name()),
                    () -> "the executor that strategy " + actor.strategy() + " gives actor '" + cell.name()
                            + "'");
        }
        if (first != null) {
            cell.begin(first);
        }
        var starts = first;
        if (actor.name() != null) {
            starts = takeName(actor.name(), cell, starts);
        }
        if (members != null) {
            members.add(cell, actor.name() != null || !actor.exitHooks().isEmpty()
                    || actor.placement().executor() == null);
            if (closing) {
                // Whoever closes the scope may have seen the actor already: it ends as any other.
                cell.askExit();
                if (starts != null) {
                    cell.start(starts);
                }
                throw closed("no actor can be made in it");
            }
        }
        if (events.hasListeners()) {
            events.lifecycle(new Started(cell.name()));
        }
        if (starts != null) {
            cell.start(starts);
        }
    }

    /** Gives the actor its name and what was kept for it; the node its first turn starts with, if any. */
    private @Nullable Node takeName(String name, Cell cell, @Nullable Node before) {
        var starts = new Node[]{before};
        var taken = names.take(name, cell, message -> {
            var node = new MessageNode(message);
            if (cell.offerPastBound(node) == Cell.Offer.WAKE) {
                starts[0] = node;
            }
        });
        if (!taken) {
            giveUp(cell);
            throw new IllegalArgumentException("there is an actor named '" + name + "' in scope '" + name()
                    + "' already; stop it first, or use another name");
        }
        return starts[0];
    }

    /** Undoes the making of an actor that nobody has seen. */
    private void giveUp(Cell cell) {
        forget(cell);
        if (cell.companion().executor instanceof ActorExecutor own) {
            Termination.runHook(cell, own::actorStopped);
        }
    }

    private IllegalStateException closed(String consequence) {
        return new IllegalStateException("scope '" + name() + "' is closed: " + consequence);
    }

    // ---- For the engine. ----

    TimeSource time() {
        return spec.time();
    }

    Duration closeTimeout() {
        return spec.closeTimeout();
    }

    Events events() {
        return events;
    }

    Fates fates() {
        return fates;
    }

    /** An actor has something to do at its end: it is kept for that. */
    void holdOn(Cell cell) {
        var member = cell.companion().member;
        if (member != null) {
            member.holdOn(cell);
        }
    }

    /** An actor has ended. */
    void forget(Cell cell) {
        var name = cell.spec().name();
        if (name != null) {
            names.free(name, cell);
        }
        if (members != null) {
            members.remove(cell);
        }
    }

    /** How many names are taken or waited for, and how many actors are listed. */
    int footprint() {
        return names.size() + (members == null ? 0 : members.size()) + children.size();
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
        if (members == null) {
            throw new IllegalStateException("the root scope cannot be closed");
        }
        closing = true;
        Interleave.here();
        var end = nanos == Long.MAX_VALUE ? Long.MAX_VALUE : time().nanoTime() + nanos;
        var stuck = new ArrayList<String>();
        var forced = false;
        for (var child : children) {
            var report = child.stop(Duration.ofNanos(remaining(end)));
            stuck.addAll(report.stuck());
            forced |= report.forced();
        }
        forced |= stopMembers(members, end, Math.min(nanos, Stopping.MAX_GRACE_NANOS), stuck);
        reportKept();
        var parent = spec.parent();
        if (parent != null) {
            parent.children.remove(this);
        }
        return new StopReport(name(), stuck.isEmpty(), forced, stuck, counters());
    }

    private boolean stopMembers(Members all, long end, long graceNanos, List<String> stuck) {
        var forced = new ArrayList<Cell>();
        var waiting = new ArrayList<Cell>();
        for (var cell : all.cells()) {
            if (Current.isInside(cell)) {
                cell.askExit(); // it ends when its handler, which calls this, returns
                stuck.add(cell.name());
            } else {
                cell.sendPoisonPill();
                waiting.add(cell);
            }
        }
        var interrupted = false;
        for (var cell : waiting) {
            try {
                if (interrupted || !Stopping.awaitExit(cell, remaining(end))) {
                    forced.add(cell);
                }
            } catch (InterruptedException e) {
                interrupted = true;
                forced.add(cell);
            }
        }
        forced.removeIf(cell -> cell.companion().exited.isOpen());
        forced.forEach(Stopping::force);
        var graceEnd = time().nanoTime() + graceNanos;
        for (var cell : forced) {
            Stopping.awaitUninterrupted(cell, remaining(graceEnd));
            if (!cell.companion().exited.isOpen()) {
                stuck.add(cell.name());
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !forced.isEmpty();
    }

    private long remaining(long end) {
        return end == Long.MAX_VALUE ? Long.MAX_VALUE : Math.max(0, end - time().nanoTime());
    }

    private void reportKept() {
        for (var kept : names.takeKept()) {
            fates.add(Fates.Kind.UNDELIVERED, 1);
            events.report(new Undelivered(kept.name(), kept.message(), Cause.NO_SUCH_ACTOR));
        }
    }
}
