package io.fibry.cluster.infinispan;

import java.util.Objects;
import java.util.function.BiConsumer;
import org.infinispan.notifications.Listener;
import org.infinispan.notifications.cachelistener.annotation.CacheEntryCreated;
import org.infinispan.notifications.cachelistener.annotation.CacheEntryModified;
import org.infinispan.notifications.cachelistener.annotation.CacheEntryRemoved;
import org.infinispan.notifications.cachelistener.annotation.DataRehashed;
import org.infinispan.notifications.cachelistener.annotation.PartitionStatusChanged;
import org.infinispan.notifications.cachelistener.annotation.TopologyChanged;
import org.infinispan.notifications.cachelistener.event.CacheEntryEvent;
import org.infinispan.notifications.cachelistener.event.Event;
import org.infinispan.notifications.cachemanagerlistener.annotation.Merged;
import org.infinispan.notifications.cachemanagerlistener.annotation.ViewChanged;
import org.infinispan.notifications.cachemanagerlistener.event.ViewChangedEvent;
import org.jspecify.annotations.Nullable;

/** What Infinispan calls when something has changed. Public because Infinispan demands it; not for users. Thread-safe. */
@Listener(observation = Listener.Observation.POST)
public final class CacheEvents {
    private final BiConsumer<String, byte @Nullable []> entry;
    private final Runnable other;

    CacheEvents(BiConsumer<String, byte @Nullable []> entry, Runnable other) {
        this.entry = Objects.requireNonNull(entry);
        this.other = Objects.requireNonNull(other);
    }

    /**
     * An entry has changed on this node.
     *
     * @param event what Infinispan says
     */
    @CacheEntryCreated
    @CacheEntryModified
    @CacheEntryRemoved
    public void entryChanged(CacheEntryEvent<String, byte[]> event) {
        entry.accept(event.getKey(),
                event.getType() == Event.Type.CACHE_ENTRY_REMOVED ? null : event.getValue());
    }

    /**
     * The nodes that hold the entries have changed, or whether the entries may be read.
     *
     * @param event what Infinispan says
     */
    @TopologyChanged
    @DataRehashed
    @PartitionStatusChanged
    public void topologyChanged(Event<String, byte[]> event) {
        if (!event.isPre()) {
            other.run();
        }
    }

    /** What Infinispan calls when the nodes that can be reached have changed. */
    @Listener
    public static final class Views {
        private final Runnable changed;

        Views(Runnable changed) {
            this.changed = Objects.requireNonNull(changed);
        }

        /**
         * The view has changed, or two parts see each other again.
         *
         * @param event what Infinispan says
         */
        @ViewChanged
        @Merged
        public void viewChanged(ViewChangedEvent event) {
            changed.run();
        }
    }
}
