package io.fibry.cluster.infinispan;

import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.cluster.engine.NotServedException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.infinispan.AdvancedCache;
import org.infinispan.commons.CacheException;
import org.infinispan.context.Flag;
import org.infinispan.distribution.LocalizedCacheTopology;
import org.infinispan.partitionhandling.AvailabilityMode;
import org.infinispan.remoting.transport.Address;
import org.infinispan.topology.CacheTopology;
import org.jspecify.annotations.Nullable;

/**
 * All tables, in one replicated cache: one set of members, one answer to whether a majority is here, and a change is acknowledged
 * when every member has it. Thread-safe.
 */
final class Entries {
    private static final char END_OF_TABLE = '\0';

    private final AdvancedCache<String, byte[]> cache;
    private final AdvancedCache<String, byte[]> here;
    private final long limitNanos;

    Entries(AdvancedCache<String, byte[]> cache, long limitNanos) {
        this.cache = cache;
        here = cache.withFlags(Flag.CACHE_MODE_LOCAL);
        this.limitNanos = limitNanos;
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

    byte @Nullable [] get(String name) {
        try {
            return cache.get(name);
        } catch (CacheException | IllegalStateException notNow) {
            throw notServed(notNow);
        }
    }

    Map<String, byte[]> all(String table) {
        var found = new TreeMap<String, byte[]>();
        for (var name : names()) {
            if (table(name).equals(table)) {
                var value = get(name);
                if (value != null) {
                    found.put(key(name), value);
                }
            }
        }
        return found;
    }

    Set<String> names() {
        try {
            return new HashSet<>(here.keySet());
        } catch (CacheException | IllegalStateException notNow) {
            throw notServed(notNow);
        }
    }

    private static NotServedException notServed(RuntimeException cause) {
        var served = new NotServedException(
                "this node does not see the majority of the cluster, or has left it: wait until it is back");
        served.initCause(cause);
        return served;
    }

    /**
     * Changes an entry. What Infinispan refuses is believed only if no member has come or gone meanwhile, since it repeats
     * commands when that happens. Where the answer is not certain, one more command, of the new value by itself, tells
     * whether the change is there, and that every member has it.
     */
    Outcome compareAndSet(String name, byte @Nullable [] expected, byte @Nullable [] next) {
        if (!isAvailable()) {
            throw notServed(new IllegalStateException("before the change"));
        }
        var before = topology().getTopologyId();
        var start = System.nanoTime();
        var told = await(change(name, expected, next), limitNanos);
        if (told == Outcome.DONE || (told == Outcome.REFUSED && topology().getTopologyId() == before)) {
            return told;
        }
        var left = limitNanos - (System.nanoTime() - start);
        return next != null && left > 0 && await(change(name, next, next), left) == Outcome.DONE
                ? Outcome.DONE
                : Outcome.UNKNOWN;
    }

    private CompletableFuture<Boolean> change(String name, byte @Nullable [] expected,
            byte @Nullable [] next) {
        try {
            if (expected == null) {
                return cache.putIfAbsentAsync(name, next).thenApply(old -> old == null);
            }
            return next == null ? cache.removeAsync(name, expected)
                    : cache.replaceAsync(name, expected, next);
        } catch (CacheException | IllegalStateException failed) {
            return CompletableFuture.failedFuture(failed);
        }
    }

    private static Outcome await(CompletableFuture<Boolean> answer, long nanos) {
        try {
            return answer.get(nanos, TimeUnit.NANOSECONDS) ? Outcome.DONE : Outcome.REFUSED;
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
            return Outcome.UNKNOWN;
        } catch (ExecutionException | TimeoutException notKnown) {
            return Outcome.UNKNOWN;
        }
    }

    /**
     * Writes an entry again, as it is, if this node decides the order of its changes. If a change was not finished, because a node
     * that decided before has died or a member did not answer, some members have it and some have not; afterwards all have the same.
     *
     * @return whether it was written, or is for another node to write
     */
    boolean repair(String name) {
        if (!topology().getDistribution(name).isPrimary()) {
            return true;
        }
        var value = get(name);
        return value == null || await(change(name, value, value), limitNanos) != Outcome.UNKNOWN;
    }
}
