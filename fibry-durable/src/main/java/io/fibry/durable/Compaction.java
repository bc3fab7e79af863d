package io.fibry.durable;

import io.fibry.ActorException;
import io.fibry.durable.Groups.Target;
import io.fibry.durable.Journal.Position;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what is not needed any more, in small steps beside the other writes: old turns that snapshots cover, and
 * what is kept of messages that cannot come again. It does so for the groups that the store serves: how long others
 * keep theirs is not known. The runs come one after another.
 *
 * <p>To find the old turns of a group, a journal reads all turns that its snapshots cover, which are many if the group keeps a
 * history. So such a group is compacted in the first run, and then each time a hundredth of the time of its history is over.
 */
final class Compaction {
    private static final Logger LOG = LoggerFactory.getLogger(Compaction.class);
    private static final int PARTS = 100;
    /** How many turns and snapshots a step reads at most. What is to be written waits meanwhile, some milliseconds. */
    static final int MOST_OF_STEP = 1_000;
    /** How many rows one transaction deletes of what is kept of handled messages. */
    private static final int EXPIRED_AT_ONCE = 1_000;

    private final DurableStore store;
    private final Duration least;
    private long runs;

    /** @param least the shortest time for which turns are kept; also the time between two runs */
    Compaction(DurableStore store, Duration least) {
        this.store = store;
        this.least = least;
    }

    /** Compacts the groups whose time has come. */
    void run() throws InterruptedException {
        run(least, target -> {
            var history = target.history().orElse(Duration.ZERO);
            return runs % Math.max(1, history.dividedBy(least.multipliedBy(PARTS))) == 0;
        });
        runs++;
    }

    /** Compacts all groups now, and keeps turns for this time at least. Any thread may call this. */
    void run(Duration age) throws InterruptedException {
        run(age, target -> true);
    }

    private void run(Duration age, Predicate<Target> isDue) throws InterruptedException {
        for (var target : store.groups().all().toList()) {
            if (isDue.test(target)) {
                compact(target, age);
            }
            expire(target);
        }
    }

    private void compact(Target target, Duration age) throws InterruptedException {
        if (target.history().isEmpty()) {
            return;
        }
        var history = target.history().get();
        // mutant: history-is-not-kept
        var kept = history.isZero() || history.compareTo(age) < 0 ? age : history;
        var before = Instant.now().minus(kept);
        try {
            for (var next = Optional.of(Position.FIRST); next.isPresent() && !store.isClosed();) {
                var from = next.get();
                next = store.write(journal -> journal.compact(target.name(), before, from, MOST_OF_STEP))
                        .next();
            }
        } catch (ActorException e) {
            LOG.warn("turns of {} that snapshots cover could not be deleted; this is tried again later",
                    target.name(), e);
        }
    }

    private void expire(Target target) throws InterruptedException {
        if (target.idsSince().isEmpty()) {
            return;
        }
        var before = target.idsSince().get();
        try {
            int deleted = EXPIRED_AT_ONCE;
            while (deleted == EXPIRED_AT_ONCE && !store.isClosed()) {
                deleted = store.write(journal -> journal.expire(target.name(), before, EXPIRED_AT_ONCE));
            }
        } catch (ActorException e) {
            LOG.warn("what is kept of old messages of {} could not be deleted; this is tried again later",
                    target.name(), e);
        }
    }
}
