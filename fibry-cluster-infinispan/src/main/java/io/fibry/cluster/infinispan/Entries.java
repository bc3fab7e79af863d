package io.fibry.cluster.infinispan;

import io.fibry.cluster.engine.NotServedException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.infinispan.AdvancedCache;
import org.infinispan.commons.CacheException;
import org.infinispan.context.Flag;
import org.infinispan.distribution.LocalizedCacheTopology;
import org.infinispan.partitionhandling.AvailabilityMode;
import org.infinispan.remoting.transport.Address;
import org.infinispan.topology.CacheTopology;

/**
 * All tables, in one replicated cache: one set of members, one answer to whether a majority is here, and a change is acknowledged
 * when every member has it. Thread-safe.
 */
final class Entries {
    private static final char END_OF_TABLE = '\0';

    private final AdvancedCache<String, byte[]> cache;
    private final AdvancedCache<String, byte[]> here;

    Entries(AdvancedCache<String, byte[]> cache) {
        this.cache = cache;
        here = cache.withFlags(Flag.CACHE_MODE_LOCAL);
    }

    static String name(String table, String key) {
        if (table.indexOf(END_OF_TABLE) >= 0) {
            throw new IllegalArgumentException(
                    "the name of a table has the character 0: choose another name");
        }
        return table + END_OF_TABLE + key;
    }

    static String table(String name) {
        return name.substring(0, name.indexOf(END_OF_TABLE));
    }

    static String key(String name) {
        return name.substring(name.indexOf(END_OF_TABLE) + 1);
    }

    boolean isAvailable() {
        return cache.getStatus().allowInvocations() && cache.getAvailability() == AvailabilityMode.AVAILABLE;
    }

    void setAvailable(boolean isAvailable) {
        cache.setAvailability(isAvailable ? AvailabilityMode.AVAILABLE : AvailabilityMode.DEGRADED_MODE);
    }

    /** The cache of this node alone, for tests that change it. */
    AdvancedCache<String, byte[]> here() {
        return here;
    }

    LocalizedCacheTopology topology() {
        return cache.getDistributionManager().getCacheTopology();
    }

    /** The members that have all entries and take part in each change. */
    Set<UUID> holders() {
        return topology().getCurrentCH().getMembers().stream().map(Address::getNodeUUID)
                .collect(Collectors.toSet());
    }

    /** Whether exactly these hold the entries, and nothing is being copied. */
    boolean isSettled(Set<UUID> members) {
        return isAvailable() && topology().getPhase() == CacheTopology.Phase.NO_REBALANCE
                && members.equals(holders());
    }

    /** What the cache of this node has. */
    Optional<StoredValue> cached(String name) {
        try {
            return Optional.ofNullable(here.get(name)).map(StoredValue::of);
        } catch (CacheException | IllegalStateException notNow) {
            throw notServed(notNow);
        }
    }

    Set<String> names() {
        try {
            return new HashSet<>(here.keySet());
        } catch (CacheException | IllegalStateException notNow) {
            throw notServed(notNow);
        }
    }

    static NotServedException notServed(RuntimeException cause) {
        var served = new NotServedException(
                "this node does not see the majority of the cluster, or has left it: wait until it is back");
        served.initCause(cause);
        return served;
    }

    /** The member that decides the order of the changes of an entry. */
    UUID decides(String name) {
        return topology().getDistribution(name).primary().getNodeUUID();
    }

    /**
     * Replaces what the node has that decides, on all members.
     *
     * @return completed with false if that node has something else. Infinispan repeats commands when members come and go, so only as long as the distribution
     *         is the same, false means that nothing was changed.
     */
    CompletableFuture<Boolean> replace(String name, Optional<StoredValue> before, StoredValue next) {
        try {
            return before.isEmpty()
                    ? cache.putIfAbsentAsync(name, next.stored()).thenApply(old -> old == null)
                    : cache.replaceAsync(name, before.orElseThrow().stored(), next.stored());
        } catch (CacheException | IllegalStateException failed) {
            return CompletableFuture.failedFuture(failed);
        }
    }

    /**
     * Writes an entry again, as it is here. If a change was not finished, because a node that decided before has died or a member did not answer, some members
     * have it and some have not; if this node decides, all have the same afterwards.
     *
     * @return completed with false if the node that decides has something else
     */
    CompletableFuture<Boolean> writeAgain(String name) {
        var value = cached(name);
        return value.isEmpty() ? CompletableFuture.completedFuture(true)
                : replace(name, value, value.orElseThrow());
    }

    /** Removes an entry, or the mark of one. */
    CompletableFuture<Boolean> remove(String name, StoredValue old) {
        try {
            return cache.removeAsync(name, old.stored());
        } catch (CacheException | IllegalStateException failed) {
            return CompletableFuture.failedFuture(failed);
        }
    }

    /** Removes an entry that this node alone has, since the node that decides does not have it. If it has become another one, that one stays. */
    CompletableFuture<Boolean> dropHere(String name, StoredValue old) {
        try {
            return here.removeAsync(name, old.stored()).thenApply(isDone -> true);
        } catch (CacheException | IllegalStateException failed) {
            return CompletableFuture.failedFuture(failed);
        }
    }
}
