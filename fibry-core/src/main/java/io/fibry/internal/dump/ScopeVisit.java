package io.fibry.internal.dump;

import io.fibry.dump.ActorDump;
import io.fibry.dump.DumpOptions;
import io.fibry.dump.HandlerTotals;
import io.fibry.dump.LimitUse;
import io.fibry.dump.ScopeDump;
import io.fibry.dump.WaitChain;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.report.ClassName;
import io.fibry.internal.run.Quota;
import io.fibry.internal.scope.Scope;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** One look at a scope, and at the scopes inside it. Confined to the thread that takes the dump. */
final class ScopeVisit {
    private final DumpOptions options;
    private final Sightings sightings;
    private final long now;
    private final WaitChains chains = new WaitChains();

    ScopeVisit(DumpOptions options, Sightings sightings, long now) {
        this.options = options;
        this.sightings = sightings;
        this.now = now;
    }

    /** Returns the chains of the actors that were seen to wait. */
    List<WaitChain> chains() {
        return chains.found();
    }

    ScopeDump visit(Scope scope) {
        var crews = new ArrayList<>(scope.inner().crews());
        var totals = new HashMap<Class<?>, Totals>();
        var most = new MostLoaded(options.actors());
        var isRootWithoutList = scope.members() == null;
        for (var cell : isRootWithoutList ? scope.nameTable().cells() : scope.cells()) {
            var handler = Behavior.reportedHandler(cell.behavior());
            if (handler != null) { // else the actor has ended since the list was made
                cell.behavior().crew().ifPresent(crew -> crews.add((Scope) crew));
                totals.computeIfAbsent(handler, Totals::new).add(look(cell, handler, most));
            }
        }
        var inner = new ArrayList<ScopeDump>();
        scope.inner().all().forEach(each -> inner.add(visit(each)));
        crews.forEach(each -> inner.add(visit(each)));
        inner.sort(Comparator.comparing(ScopeDump::name));
        var sums = Totals.sum(totals.values());
        return new ScopeDump(scope.name(), state(scope), !isRootWithoutList, sums.actors, sums.idle,
                sums.actors - sums.idle,
                sums.waiting, scope.counters(), scope.fates().lost(), scope.fates().firstLost(),
                limits(scope), scope.jobCount(),
                scope.nameTable().kept(), scope.abandoned().size(), Totals.sorted(totals.values()),
                shown(most, sums.actors), scope.sections(), inner);
    }

    /** Looks at an actor, and remembers it if it has much to do. */
    private Seen look(Cell cell, Class<?> handler, MostLoaded most) {
        var isIdle = cell.isIdle() && !cell.isAtWork();
        var waiting = isIdle ? 0 : cell.mailboxSize();
        var seen = new Seen(cell, handler, isIdle, waiting, isIdle ? null : sightings.look(cell, now));
        if (!isIdle) {
            chains.add(cell);
        }
        most.offer(seen);
        return seen;
    }

    /** Returns the actors to show. Idle ones are shown only if all actors are. */
    private List<ActorDump> shown(MostLoaded most, long actors) {
        return most.sorted().stream().filter(seen -> !seen.isIdle() || actors <= options.actors())
                .map(seen -> ActorLook.at(seen, options.frames())).toList();
    }

    private static ScopeDump.State state(Scope scope) {
        return scope.isClosed() ? ScopeDump.State.CLOSED
                : scope.isClosing() ? ScopeDump.State.CLOSING : ScopeDump.State.OPEN;
    }

    // ---- Limits. ----

    private static List<LimitUse> limits(Scope scope) {
        var limits = new ArrayList<LimitUse>();
        var budget = scope.budget();
        var around = scope.parent();
        if (budget != null && (around == null || around.budget() != budget)) {
            add(limits, "WAITING_MESSAGES", budget.waiting());
            add(limits, "OPEN_ASKS", budget.asks());
        }
        var running = scope.runningLimit();
        if (running != null) {
            limits.add(
                    new LimitUse("RUNNING_ACTORS", running.running(), running.limit(), running.waiting()));
        }
        return limits;
    }

    private static void add(List<LimitUse> limits, String what, @Nullable Quota quota) {
        if (quota != null) {
            var waiters = quota.waiters();
            limits.add(
                    new LimitUse(what, quota.taken(), quota.limit(), waiters == null ? 0 : waiters.size()));
        }
    }

    // ---- Actors, one by one and added up. ----

    /** What was seen of an actor; {@code sighting} is null if it is idle. */
    record Seen(Cell cell, Class<?> handler, boolean isIdle, int waiting,
            Sightings.@Nullable Sighting sighting) {
        private static final Comparator<Seen> BY_LOAD =
                Comparator.comparing(Seen::isIdle, Comparator.reverseOrder()).thenComparingInt(Seen::waiting);
    }

    /** The actors with most to do, at most a given number of them. */
    private static final class MostLoaded {
        private final int most;
        private final PriorityQueue<Seen> least = new PriorityQueue<>(Seen.BY_LOAD);

        MostLoaded(int most) {
            this.most = most;
        }

        void offer(Seen seen) {
            var smallest = least.peek();
            if (least.size() < most) {
                least.add(seen);
            } else if (smallest != null && Seen.BY_LOAD.compare(seen, smallest) > 0) {
                least.remove();
                least.add(seen);
            }
        }

        List<Seen> sorted() {
            var sorted = new ArrayList<>(least);
            sorted.sort(Seen.BY_LOAD.reversed().thenComparing(seen -> seen.cell().name()));
            return sorted;
        }
    }

    /** The sums over actors with handlers of one class. */
    private static final class Totals {
        private final Class<?> handler;
        private long actors;
        private long idle;
        private long waiting;
        private long most;
        private long handled;
        private long failed;

        Totals(Class<?> handler) {
            this.handler = handler;
        }

        void add(Seen seen) {
            actors++;
            idle += seen.isIdle() ? 1 : 0;
            waiting += seen.waiting();
            most = Math.max(most, seen.waiting());
            var counters = seen.cell().counters();
            handled += counters.handled();
            failed += counters.failed();
        }

        private void add(Totals other) {
            actors += other.actors;
            idle += other.idle;
            waiting += other.waiting;
        }

        static Totals sum(Iterable<Totals> all) {
            var sum = new Totals(Object.class);
            all.forEach(sum::add);
            return sum;
        }

        static List<HandlerTotals> sorted(Iterable<Totals> all) {
            var byName = new HashMap<String, HandlerTotals>();
            for (var each : all) {
                byName.merge(ClassName.of(each.handler), each.result(), Totals::merged);
            }
            return byName.values().stream().sorted(Comparator.comparingLong(HandlerTotals::waiting)
                    .thenComparingLong(HandlerTotals::busy).thenComparingLong(HandlerTotals::actors)
                    .reversed()
                    .thenComparing(HandlerTotals::handler)).toList();
        }

        private HandlerTotals result() {
            return new HandlerTotals(ClassName.of(handler), actors, idle, actors - idle, waiting, most,
                    handled, failed);
        }

        private static HandlerTotals merged(HandlerTotals one, HandlerTotals other) {
            return new HandlerTotals(one.handler(), one.actors() + other.actors(), one.idle() + other.idle(),
                    one.busy() + other.busy(), one.waiting() + other.waiting(),
                    Math.max(one.most(), other.most()),
                    one.handled() + other.handled(), one.failed() + other.failed());
        }
    }
}
