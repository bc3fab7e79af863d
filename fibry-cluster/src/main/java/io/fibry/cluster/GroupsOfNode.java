package io.fibry.cluster;

import io.fibry.StopReport;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** The groups that a node shares, one of each name. All threads may use it. */
final class GroupsOfNode {
    private final ClusterNode self;
    private final Map<String, Shared> groups = new ConcurrentHashMap<>();
    private final Set<String> ending = ConcurrentHashMap.newKeySet();

    /**
     * A group that a node shares.
     *
     * @param stop stops it
     * @param here the workers or the topic; empty for a group with homes
     */
    record Shared(Function<Duration, StopReport> stop, Optional<HostedHere> here) {
        Shared(Function<Duration, StopReport> stop) {
            this(stop, Optional.empty());
        }

        Shared(HostedHere here) {
            this(here.stop(), Optional.of(here));
        }

        private boolean isOver() {
            return here.map(HostedHere::isOver).orElse(false);
        }
    }

    GroupsOfNode(ClusterNode self) {
        this.self = self;
    }

    /** Throws an exception if a group of this name is shared. */
    void requireFree(ClusterGroup<?, ?, ?> group) {
        var shared = groups.get(group.name());
        if (shared != null && !shared.isOver()) {
            throw taken(group);
        }
    }

    private ClusterException taken(ClusterGroup<?, ?, ?> group) {
        return ending.contains(group.name()) ? Sharing.ending(self, group) : Sharing.taken(self, group);
    }

    /** Adds a group, or throws an exception if the name is taken. */
    void add(ClusterGroup<?, ?, ?> group, Shared shared) {
        var now = groups.compute(group.name(),
                (name, before) -> before == null || before.isOver() ? shared : before);
        if (now != shared) {
            throw taken(group);
        }
    }

    /** A group is shared no more, but messages of it are still handled here. */
    void end(String name) {
        ending.add(name);
    }

    void remove(String name) {
        groups.remove(name);
        ending.remove(name);
    }

    /** Removes workers or a topic, unless the name is that of others by now. */
    void remove(HostedHere here) {
        groups.computeIfPresent(here.name(),
                (name, shared) -> shared.here().filter(here::equals).isPresent() ? null : shared);
    }

    void forEach(BiConsumer<String, Shared> code) {
        groups.forEach(code);
    }

    Collection<Shared> all() {
        return groups.values();
    }
}
