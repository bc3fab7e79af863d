package io.fibry.cluster.infinispan;

import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.cluster.engine.NotServedException;
import io.fibry.cluster.infinispan.InfinispanEngine.Joined;
import io.fibry.cluster.infinispan.Reconciliation.Round;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A change of an entry by compare-and-set. It begins in a round in which changes may begin, and counts if that round still lasts afterwards,
 * here and where the order of the changes of the entry is decided.
 *
 * <p>Used by one thread.
 */
final class CompareAndSet {
    private static final Logger LOGGER = LoggerFactory.getLogger(CompareAndSet.class);

    private final InfinispanEngine engine;
    private final Entries entries;
    private final Joined me;
    private final String name;
    private final byte @Nullable [] expected;
    private final byte @Nullable [] next;
    private final Duration limit;

    /**
     * Prepares a change.
     *
     * @param limit how long it may take from its begin
     * @throws NotServedException if the engine has not joined, or is closed
     */
    CompareAndSet(InfinispanEngine engine, String name, byte @Nullable [] expected, byte @Nullable [] next,
            Duration limit) {
        this.engine = engine;
        this.name = name;
        this.expected = expected;
        this.next = next;
        this.limit = limit;
        entries = engine.entries();
        me = engine.joined().join();
    }

    /**
     * Makes the change.
     *
     * @param wait how long it waits for a round in which changes may begin
     * @throws NotServedException if nothing was changed, since this node serves nothing
     */
    Outcome make(Duration wait) {
        if (!engine.wires().join().quorum().isLikely()) {
            throw new NotServedException(
                    "this node does not see the majority of the cluster: wait until it is back");
        }
        var begin = System.nanoTime() + wait.toNanos();
        while (engine.await(left(begin), () -> whole().isPresent())) {
            var round = whole();
            var outcome = round.flatMap(this::tryIn);
            if (outcome.isPresent()) {
                return outcome.orElseThrow();
            }
        }
        throw new NotServedException(
                "members have come or gone, and the tables are not on all members yet: wait until they are");
    }

    private Optional<Round> whole() {
        return me.reconciliation().whole();
    }

    /** Tries to make the change. Nothing is returned, and nothing was changed, if that has to be tried again. */
    private Optional<Outcome> tryIn(Round round) {
        var end = System.nanoTime() + limit.toNanos();
        var before = entries.cached(name);
        var tried = Arrays.equals(before.flatMap(StoredValue::value).orElse(null), expected)
                ? replace(round, before, end) : refuse(round, before, end);
        if (tried.isEmpty()) {
            awaitOther(round, before, end);
        }
        return tried;
    }

    private Optional<Outcome> replace(Round round, Optional<StoredValue> before, long end) {
        var after = me.reconciliation().copies().after(before, round.epoch(), next);
        var told = outcome(entries.replace(name, before, after), end);
        var isLasting = isLasting(round, end);
        if (told == Outcome.REFUSED && isLasting) {
            return Optional.empty();
        }
        var made = told == Outcome.DONE && isLasting ? Optional.of(after) : confirm(after, end);
        made.ifPresent(this::forgetMark);
        if (made.isEmpty() && !engine.isClosed()) {
            me.upkeep().doubt(name);
        }
        return Optional.of(made.isPresent() ? Outcome.DONE : Outcome.UNKNOWN);
    }

    /** The entry is not as expected. If the node that decides has the same as this one, the refusal is right. To know that, it is written again, or as a mark. */
    private Optional<Outcome> refuse(Round round, Optional<StoredValue> before, long end) {
        var again = before.orElseGet(
                () -> me.reconciliation().copies().after(Optional.empty(), round.epoch(), null));
        if (outcome(entries.replace(name, before, again), end) != Outcome.DONE || !isLasting(round, end)) {
            return Optional.empty();
        }
        forgetMark(again);
        return Optional.of(Outcome.REFUSED);
    }

    private void forgetMark(StoredValue value) {
        if (!value.isThere()) {
            me.reconciliation().removed(name, value);
        }
    }

    /** The node that decides has another value, which is on its way to this one; or the members have changed. */
    private void awaitOther(Round round, Optional<StoredValue> before, long end) {
        if (!engine.await(left(end),
                () -> !whole().equals(Optional.of(round)) || !entries.cached(name).equals(before))) {
            me.upkeep().doubt(name);
            throw new NotServedException("the entry could not be read within " + limit);
        }
    }

    /**
     * Tells whether a change counts whose round ended meanwhile. When members go, Infinispan completes changes that wait for them, also in
     * a part that turns out not to count. No two changes propose equal values, so a value that is there is that of this change. It is written once more as one of
     * the round in which it counts: another part may have made something else of the entry in the round before, with any number.
     *
     * @return what the entry is now; empty if it is not known whether the change was made
     */
    private Optional<StoredValue> confirm(StoredValue value, long end) {
        var mine = new HashSet<>(Set.of(value));
        try {
            while (engine.await(left(end), () -> whole().isPresent()) && !left(end).isZero()) {
                var round = whole();
                if (round.isEmpty()) {
                    continue;
                }
                var now = entries.cached(name);
                if (now.filter(mine::contains).isEmpty()) {
                    return Optional.empty();
                }
                var next = now.orElseThrow().renewed(round.orElseThrow().epoch());
                var told = outcome(entries.replace(name, now, next), end);
                if (told == Outcome.DONE && isLasting(round.orElseThrow(), end)) {
                    return Optional.of(next);
                }
                mine.add(next);
                // This node may be the last one to hear that the round is over.
                engine.await(left(end), () -> !whole().equals(round)
                        || entries.cached(name).filter(mine::contains).isEmpty());
            }
        } catch (NotServedException minority) {
            LOGGER.debug("{} was cut off while it confirmed the change of an entry", engine.where(),
                    minority);
        }
        return Optional.empty();
    }

    /** Returns whether a round still lasts here, and where the order of the changes of the entry is decided. */
    private boolean isLasting(Round round, long end) {
        try {
            return outcome(me.rounds().isLasting(entries.decides(name), round), end) == Outcome.DONE;
        } catch (RuntimeException closed) {
            LOGGER.debug("{} could not ask where {} is decided", engine.where(), name, closed);
            return false;
        }
    }

    private static Outcome outcome(CompletableFuture<Boolean> answer, long end) {
        try {
            return answer.get(left(end).toNanos(), TimeUnit.NANOSECONDS) ? Outcome.DONE : Outcome.REFUSED;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return Outcome.UNKNOWN;
        } catch (ExecutionException | TimeoutException notKnown) {
            return Outcome.UNKNOWN;
        }
    }

    private static Duration left(long end) {
        return InfinispanEngine.left(end);
    }
}
