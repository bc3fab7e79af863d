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
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes samples of dumps: a rate is the difference of two counters by the time between their dumps. Confined to the actor that
 * takes the dumps.
 *
 * <p>How long a message waits on average is the number of messages that wait by the number handled in a second, and how long a
 * handler works is the number of busy actors by the number of messages handled in a second (Little's law). Both numbers are
 * averages over the last ten samples or so. These are estimates: a busy actor may also wait for a thread.
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

    /** The counters of a scope. */
    private record Counted(long handled, long lost) {
    }

    /** The handlers of a scope with one class. */
    private record HandlerKey(String scope, String handler) {
    }

    /**
     * Averages of a number of things, and of how many messages were handled in a second.
     *
     * @param samples how many samples they are made of
     */
    private record Averages(int samples, long handledSoFar, double things, double handled) {
        static Averages first(long handledSoFar) {
            return new Averages(0, handledSoFar, 0, 0);
        }

        Averages next(long handledNow, double thingsNow, double seconds) {
            var rate = Math.max(0, handledNow - handledSoFar) / seconds;
            var weight = Math.max(NEWEST, 1.0 / (samples + 1));
            return new Averages(samples + 1, handledNow, things + weight * (thingsNow - things),
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
    private Map<String, Counted> counted = Map.of();
    private Map<HandlerKey, Averages> averages = Map.of();
    private Averages all = Averages.first(0);
    private long handledSoFar;
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
        look.visit(dump.scope(), "", 0);
        counted = look.counts;
        averages = look.newAverages;
        lookedAt = now;
        handledSoFar += look.handledNow;
        lostSoFar += look.lostNow;
        all = number == 0 ? Averages.first(handledSoFar)
                : all.next(handledSoFar, (double) look.waiting, look.seconds);
        var at = dump.takenAt().toEpochMilli();
        while (points.size() >= MOST_POINTS
                || (!points.isEmpty() && points.getFirst().at() < at - SHOWN_MILLIS)) {
            points.removeFirst();
        }
        points.addLast(new Point(++number, at, look.actors, look.busy, look.waiting,
                look.seconds == 0 ? Double.NaN : look.handledNow / look.seconds, lostSoFar, all.millis(),
                look.oldest()));
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
        private final Map<String, Counted> counts = new HashMap<>();
        private final Map<HandlerKey, Averages> newAverages = new HashMap<>();
        private final Map<String, Integer> paths = new HashMap<>();
        private long actors;
        private long busy;
        private long waiting;
        private long handledNow;
        private long lostNow;
        /** Not a number if none is known. */
        private double oldestKnown = Double.NaN;

        Look(double seconds) {
            this.seconds = seconds;
        }

        double oldest() {
            return waiting == 0 && Double.isNaN(oldestKnown) ? 0 : oldestKnown;
        }

        void visit(ScopeDump scope, String around, int depth) {
            var path = around + '/' + scope.name();
            var same = paths.merge(path, 1, Integer::sum);
            if (same > 1) {
                path = path + '/' + '/' + same;
            }
            add(scope, id(path), path, depth);
            for (var inner : scope.scopes()) {
                visit(inner, path, depth + 1);
            }
        }

        private void add(ScopeDump scope, String id, String path, int depth) {
            var lost = scope.lost().values().stream().mapToLong(Long::longValue).sum();
            var now = new Counted(scope.counters().handled(), lost);
            var before = counted.getOrDefault(id, new Counted(0, 0));
            var handled = seconds == 0 ? 0 : Math.max(0, now.handled - before.handled);
            counts.put(id, now);
            actors += scope.actors();
            busy += scope.busy();
            waiting += scope.waiting();
            handledNow += handled;
            lostNow += Math.max(0, now.lost - before.lost);
            scopes.add(new ScopeRow(id, depth, scope, seconds == 0 ? Double.NaN : handled / seconds, lost));
            var longest = longest(scope);
            for (var each : scope.handlers()) {
                if (!each.handler().startsWith(OF_LIBRARY)) { // what reads connections waits as long as its clients like
                    handlers.add(row(scope, path, each, longest.getOrDefault(each.handler(),
                            each.busy() == 0 ? Longest.NONE : Longest.UNKNOWN)));
                }
            }
        }

        private HandlerRow row(ScopeDump scope, String path, HandlerTotals totals, Longest longest) {
            var key = new HandlerKey(path, totals.handler());
            @Nullable Averages before = averages.get(key);
            var now = before == null || seconds == 0 ? Averages.first(totals.handled())
                    : before.next(totals.handled(), (double) totals.busy(), seconds);
            newAverages.put(key, now);
            var handled = before == null || seconds == 0 ? Double.NaN
                    : Math.max(0, totals.handled() - before.handledSoFar) / seconds;
            return new HandlerRow(scope.name(), totals.handler(), totals.actors(), totals.busy(),
                    totals.waiting(), handled, now.millis(), longest.millis, longest.actor, longest.place);
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
