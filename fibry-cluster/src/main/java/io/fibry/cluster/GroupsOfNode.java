package io.fibry.cluster;

import io.fibry.Recipient;
import io.fibry.StopReport;
import io.fibry.internal.keyed.SharedKeys;
import io.fibry.keyed.KeyedActors;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * The groups that a node shares, one of each name. What is shared before the node begins to leave is handed over, and
 * nothing is shared after it. All threads may use it.
 */
final class GroupsOfNode {
    private final ClusterNode self;
    private final Map<String, Shared> groups = new ConcurrentHashMap<>();
    /** What each name is used for: for one thing, as long as the node is in its cluster. */
    private final Map<String, Integer> kinds = new ConcurrentHashMap<>();
    /** Threads that share read; the thread that begins to leave writes. So each group is handed over, or refused. */
    private final ReadWriteLock sharing = new ReentrantReadWriteLock();
    /** Set once, under the write lock. */
    private volatile boolean isLeaving;

    /**
     * A group that a node shares.
     *
     * @param recipient what takes its messages on this node; empty for a topic
     * @param stop stops it
     * @param isOver tells whether it has ended by itself, so that its name is free
     * @param here the workers or the topic, if other nodes may send to them
     */
    record Shared(ClusterGroup<?, ?, ?> group, Optional<Recipient<?, ?>> recipient,
            Function<Duration, StopReport> stop, BooleanSupplier isOver, Optional<HostedHere> here) {
        private boolean isEnding() {
            return recipient.filter(KeyedActors.class::isInstance).map(KeyedActors.class::cast)
                    .flatMap(SharedKeys::of).filter(SharedKeys::isStopping).isPresent();
        }
    }

    /** A thread adds a group. No leave begins before this is closed, so the thread must not leave itself. */
    final class Addition implements AutoCloseable {
        private Addition() {
            sharing.readLock().lock();
        }

        /** Throws an exception if this node has left, or the name of a group is taken. */
        void requireNew(ClusterGroup<?, ?, ?> group) {
            requireMember(group);
            find(group).ifPresent(before -> {
                throw taken(before);
            });
            use(group);
        }

        void add(Shared shared) {
            add(shared, () -> {
            });
        }

        /** Adds a group. If another thread has taken its name, undoes what was done for it, and throws an exception. */
        void add(Shared shared, Runnable undo) {
            var now = groups.compute(shared.group.name(),
                    (name, before) -> before == null || before.isOver.getAsBoolean() ? shared : before);
            if (now != shared) {
                undo.run();
                throw taken(now);
            }
        }

        @Override
        public void close() {
            sharing.readLock().unlock();
        }
    }

    GroupsOfNode(ClusterNode self) {
        this.self = self;
    }

    Addition addition() {
        return new Addition();
    }

    /** Throws an exception if this node has begun to leave. */
    void requireMember(ClusterGroup<?, ?, ?> group) {
        if (isLeaving) {
            throw Sharing.left(self, group);
        }
    }

    /** Uses the name of a group, or throws an exception if it was used for something else before. */
    void use(ClusterGroup<?, ?, ?> group) {
        var kind = Sharing.number(group);
        var before = kinds.putIfAbsent(group.name(), kind);
        if (before != null && before != kind) {
            throw Sharing.usedOtherwise(self, group, before);
        }
    }

    private ClusterException taken(Shared before) {
        return before.isEnding() ? Sharing.ending(self, before.group) : Sharing.taken(self, before.group);
    }

    /** Returns what is shared with the name of a group, unless it has ended. */
    Optional<Shared> find(ClusterGroup<?, ?, ?> group) {
        return Optional.ofNullable(groups.get(group.name())).filter(shared -> !shared.isOver.getAsBoolean());
    }

    Map<String, Shared> all() {
        return groups;
    }

    /** Removes actors, unless the name is that of others by now. */
    void remove(String name, Recipient<?, ?> actors) {
        groups.computeIfPresent(name,
                (same, shared) -> shared.recipient().filter(actors::equals).isPresent() ? null : shared);
    }

    /** Removes workers or a topic, in the same way. */
    void remove(HostedHere here) {
        groups.computeIfPresent(here.name(),
                (name, shared) -> shared.here().filter(here::equals).isPresent() ? null : shared);
    }

    boolean isLeaving() {
        return isLeaving;
    }

    /** Waits for threads that share something, and begins to leave; returns false if a leave has begun before. */
    boolean beginLeave() {
        sharing.writeLock().lock();
        try {
            var isFirst = !isLeaving;
            isLeaving = true;
            return isFirst;
        } finally {
            sharing.writeLock().unlock();
        }
    }
}
