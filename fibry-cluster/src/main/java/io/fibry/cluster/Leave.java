package io.fibry.cluster;

import io.fibry.internal.clock.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a node leaves its cluster. It hands over what it has, waits for the fates of what it has sent, says goodbye and stops its groups.
 *
 * <pre>
 *   isLeaving  false -> true   the first leave or close: no group is shared any more, those that are there are handed over
 *   sendsMore  true -> false   nothing is shared here any more, or the deadline has passed: what is underway gets its fate, and no more is sent
 *   isOver     false -> true   all that was underway has its fate, and watchers are told nothing any more
 *   isInTime   false -> true   after that, if all was handed over: what a leave returns that is not the first one
 * </pre>
 */
final class Leave {
    private static final Logger LOGGER = LoggerFactory.getLogger(Leave.class);
    private static final Duration LEAST_FOR_WATCHERS = Duration.ofSeconds(1);

    private final JoinedCluster cluster;
    private final MemberMailbox member;
    private final GroupsOfNode groups;
    private final MembershipLog log;
    /** Written once, by the thread that leaves; a sender that misses it gives its message to the member. */
    private volatile boolean sendsMore = true;
    /** Set by the thread that leaves; a sender that misses it tells watchers that end, and nothing may be told. */
    private volatile boolean isOver;
    /** Set by the thread that leaves. */
    private volatile boolean isInTime;

    Leave(JoinedCluster cluster) {
        this.cluster = cluster;
        member = cluster.member;
        groups = cluster.groups;
        log = new MembershipLog(cluster.self.name());
    }

    boolean sendsMore() {
        return sendsMore;
    }

    boolean isOver() {
        return isOver;
    }

    /**
     * Leaves, or returns at once if another leave has begun.
     *
     * @return whether all was handed over, heard and stopped in time
     */
    boolean leave(Duration deadline) {
        var limit = Durations.boundedNanos(deadline, "deadline");
        if (!groups.beginLeave()) {
            return isInTime;
        }
        var end = cluster.nanoTime() + limit;
        groups.all().forEach((name, shared) -> {
            var unused =
                    member.put(shared.here().<Input>map(here -> new Input.End(here, Optional.of(left(end))))
                            .orElseGet(() -> new Input.Unhost(name, shared.recipient().orElseThrow())));
        });
        var isHeard = false;
        if (awaitSilence(end)) {
            isHeard = sayGoodbye(deadline, end);
        } else {
            log.notHandedOver(deadline, notHandedOver());
        }
        cluster.disconnect();
        member.awaitInAnyCase(new Input.Closed());
        var isStopped = stopGroups(end);
        member.awaitInAnyCase(new Input.Flush());
        isOver = true;
        // Ends watchers as well, when they have taken what they were told.
        var unused = cluster.inner.stop(forWatchers(end - cluster.nanoTime()));
        isInTime = isHeard && isStopped;
        return isInTime;
    }

    /** Returns how long watchers have for waiting events. A deadline that is over must not hide from them what was lost. */
    static Duration forWatchers(long nanosLeft) {
        return Duration.ofNanos(Math.max(nanosLeft, LEAST_FOR_WATCHERS.toNanos()));
    }

    /** Waits until all is handed over and has its fate; returns false if the time was over before. */
    private boolean awaitSilence(long end) {
        var isHandedOver = member.awaitApart(new Input.AwaitHandOver(Optional.empty()), left(end));
        // A program that sends all the time has always something underway.
        sendsMore = false;
        // What no node takes or answers must not make others take this node for lost: they need the other half of the time.
        var lettersEnd = cluster.nanoTime() + left(end).toNanos() / 2;
        isHandedOver &= member.awaitApart(new Input.AwaitSilence(lettersEnd), left(end));
        return isHandedOver;
    }

    private boolean sayGoodbye(Duration deadline, long end) {
        var isHeard = false;
        try {
            // In a thread of its own, since neither an interrupt nor the deadline of the handler that calls must cut it short.
            isHeard = CompletableFuture
                    .supplyAsync(() -> cluster.engine.leave(left(end)), Thread::startVirtualThread).join();
        } catch (CompletionException failed) {
            LOGGER.warn("The engine of {} has failed while it said goodbye", cluster.self.name(),
                    failed.getCause());
        }
        if (!isHeard) {
            log.notHeard(deadline);
        }
        return isHeard;
    }

    private boolean stopGroups(long end) {
        var isStopped = true;
        for (var each : groups.all().values()) {
            var report = each.stop().apply(left(end));
            isStopped &= report.stopped() && !report.forced();
        }
        return isStopped;
    }

    /** Returns what is left here of each group, for people. */
    private List<String> notHandedOver() {
        var home = Optional.of(cluster.self.incarnation());
        var left = new ArrayList<String>();
        cluster.homesOfSlices().forEach((group, slices) -> {
            var count = slices.stream().filter(home::equals).count();
            if (count > 0) {
                left.add(count + " of " + slices.size() + " slices of the group '" + group + "'");
            }
        });
        groups.all().values().stream().flatMap(shared -> shared.here().stream())
                .filter(here -> !here.isHandedOver())
                .forEach(here -> left.add("messages of the group '" + here.name() + "'"));
        return left;
    }

    private Duration left(long end) {
        return Duration.ofNanos(Math.max(1, end - cluster.nanoTime()));
    }
}
