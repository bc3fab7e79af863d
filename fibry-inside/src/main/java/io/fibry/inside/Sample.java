package io.fibry.inside;

import io.fibry.dump.Dump;
import io.fibry.dump.ScopeDump;
import java.util.List;
import java.util.Optional;

/**
 * What the page shows of one dump, compared with the one before.
 *
 * @param run tells the samples of one look apart from those of another one, whose numbers begin anew
 * @param dump the dump
 * @param points the sums of the last five minutes; the newest, that of this sample, is the last
 * @param scopes all scopes: each before those inside it
 * @param handlers the handlers that take longest, the slowest first
 * @param unknown how many classes of handlers with busy actors take an unknown time
 * @param pause how many milliseconds lie between this sample and the next one at least
 */
record Sample(String run, Dump dump, List<Point> points, List<ScopeRow> scopes, List<HandlerRow> handlers,
        long unknown, double pause) {
    /**
     * The sums over all scopes.
     *
     * @param number counts the samples
     * @param at the time of day in milliseconds
     * @param actors how many actors there are
     * @param busy how many have something to do
     * @param waiting how many messages wait
     * @param handled how many messages were handled in a second; not a number if that is not known
     * @param lost how many messages are known to have been lost so far
     * @param average how many milliseconds a message waits, on average and by estimate; not a number if nothing was handled
     * @param oldest how many milliseconds the oldest message with a known age has waited at least; zero if none
     *     waits, not a number if no age is known
     */
    record Point(long number, long at, long actors, long busy, long waiting, double handled, long lost,
            double average,
            double oldest) {
    }

    /**
     * A scope.
     *
     * @param id tells it apart from the others, and is the same in the next sample
     * @param depth how many scopes it is in
     * @param dump what the dump has of it
     * @param handled how many messages its actors handled in a second; not a number if that is not known
     * @param lost how many messages to them were lost
     */
    record ScopeRow(String id, int depth, ScopeDump dump, double handled, long lost) {
    }

    /**
     * The actors of one scope with one class of handler.
     *
     * @param id tells the scope apart from the others
     * @param scope the name of the scope
     * @param handler the class of the handler
     * @param actors how many actors there are
     * @param busy how many have something to do
     * @param waiting how many messages wait for them
     * @param handled how many messages they handled in a second; not a number if that is not known
     * @param each how many milliseconds they take for one message by estimate; not a number if that is not known
     * @param longest how many milliseconds one of them has worked on its message at least; zero if none works, not a
     *     number if it is known of none
     * @param actor the name of this one; empty if there is none
     * @param place where its code is
     */
    record HandlerRow(String id, String scope, String handler, long actors, long busy, long waiting,
            double handled, double each, double longest, String actor, String place) {
        /** Returns by how much it is to be shown before others. */
        double slowness() {
            return Math.max(Double.isNaN(each) ? 0 : each, Double.isNaN(longest) ? 0 : longest);
        }

        /** Returns whether nothing is known of how long the busy actors take. */
        boolean isUnknown() {
            return busy > 0 && Double.isNaN(each) && Double.isNaN(longest);
        }
    }

    Point now() {
        return points.getLast();
    }

    Optional<ScopeRow> scope(String id) {
        return scopes.stream().filter(each -> each.id().equals(id)).findFirst();
    }
}
