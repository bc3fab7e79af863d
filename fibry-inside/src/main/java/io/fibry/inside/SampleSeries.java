package io.fibry.inside;

import io.fibry.dump.ActorDump;
import io.fibry.dump.Dump;
import io.fibry.dump.HandlerTotals;
import io.fibry.dump.ScopeDump;
import io.fibry.dump.Work;
import io.fibry.inside.Sample.HandlerRow;
import io.fibry.inside.Sample.Point;
import io.fibry.inside.Sample.ScopeRow;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Makes samples of dumps: a rate is the difference of two counters by the time between their dumps. Confined to the actor that
 * takes the dumps.
 *
 * <p>How long a message waits on average is the number of messages that wait by the number handled in a second, and how long a
 * handler works is the number of busy actors by the number of messages handled in a second (Little's law). Both numbers are
 * averages over the last ten samples or so. These are estimates: a busy actor may also wait for a thread.
 *
 * <p>What a dump does not tell is not known: which of several scopes of one name is which, and what actors that have ended have
 * handled. Of scopes of one name that come and go, what they have handled together at least is counted.
 */
final class SampleSeries {
    private static final long SHOWN_MILLIS = TimeUnit.MINUTES.toMillis(5);
    private static final int MOST_POINTS = 300;
    private static final int MOST_HANDLERS = 20;
    private static final String OF_LIBRARY = "io.fibry.internal.";
    /** The weight of the newest sample in an average. */
    private static final double NEWEST = 0.2;
    private static final double SECOND_NANOS = 1e9;
    private static final double SECOND_MILLIS = 1e3;
    /** What part of the messages those that have ended may have handled, if the others are to tell how long all take. */
    private static final double FEW = 0.1;

    /**
     * The counters of a scope.
     *
     * @param ended how many messages were handled by actors that are not listed any more
     */
    private record Counted(long handled, long lost, long ended) {
        static final Counted NOTHING = new Counted(0, 0, 0);

        static Counted of(ScopeDump scope) {
            var handled = scope.counters().handled();
            return new Counted(handled, scope.lost().values().stream().mapToLong(Long::longValue).sum(),
                    handled - scope.handlers().stream().mapToLong(HandlerTotals::handled).sum());
        }

        boolean isAtMost(Counted other) {
            return handled <= other.handled && lost <= other.lost;
        }
    }

    /** The handlers of a scope, of which it has the id, with one class. */
    private record HandlerKey(String id, String handler) {
    }

    /** The sums of the actors with one class of handler, and what is known of their times. */
    private record Known(HandlerTotals totals, Averages averages) {
    }

    /**
     * Averages of a number of things, and of how many messages were handled in a second.
     *
     * @param samples how many samples they are made of; less than zero if some are to be left out first
     */
    private record Averages(int samples, double things, double handled) {
        static final Averages NONE = new Averages(0, 0, 0);
        /** The actors come and go: if they are as many now and then, that is chance. */
        static final Averages DOUBTFUL = new Averages(-3, 0, 0);

        Averages next(double rate, double thingsNow) {
            if (samples < 0) {
                return new Averages(samples + 1, 0, 0);
            }
            var weight = Math.max(NEWEST, 1.0 / (samples + 1));
            return new Averages(samples + 1, things + weight * (thingsNow - things),
                    handled + weight * (rate - handled));
        }

        /** Returns how many milliseconds each thing lasts. */
        double millis() {
            return handled > 0 ? things / handled * SECOND_MILLIS : Double.NaN;
        }
    }

    /** The work in a scope that lasts longest, of actors with one class of handler. */
    private record Longest(double millis, String actor, String place) {
        static final Longest NONE = new Longest(0, "", "");
        static final Longest UNKNOWN = new Longest(Double.NaN, "", "");

        /** Returns the longer one; one that is not known is shorter than any other. */
        Longest or(Longest other) {
            return Double.isNaN(other.millis) || millis >= other.millis ? this : other;
        }
    }

    private final String run;
    private final ArrayDeque<Point> points = new ArrayDeque<>();
    /** By the scopes around them, with their names. */
    private Map<String, List<Counted>> counted = Map.of();
    private Map<HandlerKey, Known> known = Map.of();
    private Averages all = Averages.NONE;
    private long lostSoFar;
    private long lookedAt;
    private long number;

    SampleSeries(String run) {
        this.run = run;
    }

    /**
     * Returns what is to be seen of a dump that was taken now.
     *
     * @param pause how many milliseconds the next dump comes later at least
     */
    Sample next(Dump dump, long now, double pause) {
        var look = new Look(number == 0 ? 0 : Math.max(1, now - lookedAt) / SECOND_NANOS);
        look.visit(List.of(dump.scope()), "", 0, true);
        counted = look.counts;
        known = look.newKnown;
        lookedAt = now;
        lostSoFar += look.lostNow;
        if (!Double.isNaN(look.rate)) {
            all = all.next(look.rate, (double) look.waiting);
        }
        var at = dump.takenAt().toEpochMilli();
        while (points.size() >= MOST_POINTS
                || (!points.isEmpty() && points.getFirst().at() < at - SHOWN_MILLIS)) {
            points.removeFirst();
        }
        points.addLast(new Point(++number, at, look.actors, look.busy, look.waiting,
                look.rate, lostSoFar, Double.isNaN(look.rate) ? Double.NaN : all.millis(), look.oldest()));
        look.handlers.sort(Comparator.comparingDouble(HandlerRow::slowness).reversed()
                .thenComparing(HandlerRow::scope).thenComparing(HandlerRow::handler));
        return new Sample(run, dump, List.copyOf(points), List.copyOf(look.scopes),
                look.handlers.stream().filter(each -> each.slowness() > 0).limit(MOST_HANDLERS).toList(),
                look.handlers.stream().filter(HandlerRow::isUnknown).count(), pause);
    }

    /** The sums of one dump. */
    private final class Look {
        /** The time since the dump before, zero if there is none. */
        private final double seconds;
        private final List<ScopeRow> scopes = new ArrayList<>();
        private final List<HandlerRow> handlers = new ArrayList<>();
        private final Map<String, List<Counted>> counts = new HashMap<>();
        private final Map<HandlerKey, Known> newKnown = new HashMap<>();
        private long actors;
        private long busy;
        private long waiting;
        /** How many messages are handled in a second, at least; not a number if nothing is known of some scopes. */
        private double rate;
        private long lostNow;
        /** Not a number if none is known. */
        private double oldestKnown = Double.NaN;

        Look(double seconds) {
            this.seconds = seconds;
        }

        double oldest() {
            return waiting == 0 && Double.isNaN(oldestKnown) ? 0 : oldestKnown;
        }

        /** Adds the scopes in one scope; {@code isKnown} if that is known to be the one of the dump before. */
        void visit(List<ScopeDump> inner, String around, int depth, boolean isKnown) {
            var byName = inner.stream()
                    .collect(Collectors.groupingBy(ScopeDump::name, LinkedHashMap::new, Collectors.toList()));
            byName.forEach((name, same) -> {
                var path = around + '/' + name;
                var now = same.stream().map(Counted::of).toList();
                var last = counted.getOrDefault(path, List.of());
                var before = now.size() == 1 && last.size() == 1 && !areThoseOf(last, now)
                        ? List.<Counted>of() // it was closed, and another one of its name opened
                        : last;
                counts.put(path, now);
                lostNow += isKnown ? Math.max(0, lost(now) - lost(before)) : 0;
                var areKnown = isKnown && (before.isEmpty() || areThoseOf(before, now));
                if (!areKnown) {
                    rate += isKnown ? leastRate(before, now) : Double.NaN;
                }
                for (int i = 0; i < same.size(); i++) {
                    var own = i == 0 ? path : path + "//" + (i + 1);
                    add(same.get(i), id(own), depth, now.get(i),
                            !areKnown ? null : before.isEmpty() ? Counted.NOTHING : before.get(i));
                    visit(same.get(i).scopes(), own, depth + 1, areKnown);
                }
            });
        }

        private static long lost(List<Counted> scopes) {
            return scopes.stream().mapToLong(Counted::lost).sum();
        }

        /** A dump has scopes of one name in any order: another order is seen by a counter that falls. */
        private static boolean areThoseOf(List<Counted> before, List<Counted> now) {
            return before.size() == now.size() && IntStream.range(0, now.size())
                    .allMatch(i -> before.get(i).isAtMost(now.get(i)));
        }

        /**
         * Returns what scopes of one name have handled in a second at least, whichever of those before each of them is; not a
         * number if that may be nothing.
         */
        private double leastRate(List<Counted> before, List<Counted> now) {
            var free = handled(now);
            var least = free.stream().mapToLong(Long::longValue).sum();
            for (var old : handled(before)) {
                if (!free.isEmpty() && old <= free.getFirst()) {
                    free.removeFirst();
                    least -= old;
                }
            }
            return least > 0 ? least / seconds : Double.NaN;
        }

        private static ArrayDeque<Long> handled(List<Counted> scopes) {
            return scopes.stream().map(Counted::handled).sorted(Comparator.reverseOrder())
                    .collect(Collectors.toCollection(ArrayDeque::new));
        }

        private void add(ScopeDump scope, String id, int depth, Counted now, @Nullable Counted before) {
            var handled = seconds == 0 || before == null ? Double.NaN
                    : (now.handled - before.handled) / seconds;
            actors += scope.actors();
            busy += scope.busy();
            waiting += scope.waiting();
            rate += before == null ? 0 : handled;
            scopes.add(new ScopeRow(id, depth, scope, handled, now.lost));
            var longest = longest(scope);
            var ended = before == null ? 0 : Math.max(0, now.ended - before.ended);
            for (var each : scope.handlers()) {
                if (!each.handler().startsWith(OF_LIBRARY)) { // what reads connections waits as long as its clients like
                    var key = new HandlerKey(id, each.handler());
                    handlers.add(row(scope, key, each, before == null ? null : known.get(key), ended,
                            longest.getOrDefault(each.handler(),
                                    each.busy() == 0 ? Longest.NONE : Longest.UNKNOWN)));
                }
            }
        }

        /** Of the scope, actors that had handled {@code ended} messages have ended since the dump before. */
        private HandlerRow row(ScopeDump scope, HandlerKey key, HandlerTotals totals, @Nullable Known before,
                long ended, Longest longest) {
            var averages = Averages.NONE;
            var rate = Double.NaN;
            if (before != null) {
                var handled = totals.handled() - before.totals.handled();
                rate = handled / seconds;
                averages =
                        (before.totals.actors() == totals.actors() && handled >= 0) || ended <= handled * FEW
                                ? before.averages.next(rate, (double) totals.busy()) : Averages.DOUBTFUL;
            }
            newKnown.put(key, new Known(totals, averages));
            return new HandlerRow(key.id, scope.name(), totals.handler(), totals.actors(), totals.busy(),
                    totals.waiting(), averages.samples > 0 ? rate : Double.NaN, averages.millis(),
                    longest.millis, longest.actor, longest.place);
        }

        private Map<String, Longest> longest(ScopeDump scope) {
            var found = new HashMap<String, Longest>();
            for (var actor : scope.shown()) {
                actor.firstWaits().ifPresent(
                        time -> oldestKnown = Double.isNaN(oldestKnown) ? Times.millis(time)
                                : Math.max(oldestKnown, Times.millis(time)));
                for (var work : actor.work()) {
                    found.merge(actor.handler(), longest(actor, work), Longest::or);
                }
            }
            return found;
        }

        private static Longest longest(ActorDump actor, Work work) {
            return new Longest(work.lasts().map(Times::millis).orElse(Double.NaN), actor.name(),
                    ClassNames.place(work.stack()));
        }
    }

    /** Returns a short text for a path, which may be long. */
    private static String id(String path) {
        var hash = 0xcbf29ce484222325L;
        for (int i = 0; i < path.length(); i++) {
            hash = (hash ^ path.charAt(i)) * 0x100000001b3L;
        }
        return Long.toHexString(hash ^ hash >>> 32);
    }
}
