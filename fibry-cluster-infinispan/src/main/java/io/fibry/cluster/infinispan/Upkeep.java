package io.fibry.cluster.infinispan;

import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.cluster.engine.NotServedException;
import io.fibry.cluster.infinispan.InfinispanEngine.Joined;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.infinispan.commons.CacheException;
import org.infinispan.factories.GlobalComponentRegistry;
import org.infinispan.notifications.cachemanagerlistener.CacheManagerNotifier;
import org.infinispan.remoting.transport.Address;
import org.infinispan.remoting.transport.Transport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the table of nodes, tells Infinispan which nodes are the majority, and writes again what was left half done. Thread-safe. */
final class Upkeep {
    private static final Logger LOGGER = LoggerFactory.getLogger(Upkeep.class);
    private static final int AGAIN_MILLIS = 300;
    private static final int KNOCK_MILLIS = 500;
    private static final Duration PATIENCE = Duration.ofSeconds(6);

    private final InfinispanEngine engine;
    private final InfinispanSettings settings;
    private final ExecutorService thread;
    private final AtomicBoolean isDue = new AtomicBoolean();
    private final Set<String> doubtful = ConcurrentHashMap.newKeySet();
    /** Set by the thread that leaves; another node removes what is written later. */
    private volatile boolean isResting;

    // Of its own thread alone.
    private long waitingSince;
    private Duration patience = Duration.ZERO;

    Upkeep(InfinispanEngine engine, InfinispanSettings settings, ExecutorService thread) {
        this.engine = engine;
        this.settings = settings;
        this.thread = thread;
    }

    static String rowName(Address address) {
        return Entries.name(InfinispanEngine.NODES, address.getNodeUUID().toString());
    }

    /** The members may not all have the same value of this entry. */
    void doubt(String name) {
        doubtful.add(name);
        tidySoon();
    }

    /** This node is about to leave. */
    void rest() {
        isResting = true;
    }

    void close() {
        rest();
        thread.shutdownNow();
    }

    void tidySoon() {
        if (isDue.compareAndSet(false, true)) {
            engine.submit(thread, () -> {
                isDue.set(false);
                try {
                    tidy(engine.joined().join());
                } catch (RuntimeException failed) {
                    if (isResting) {
                        LOGGER.debug("A node that leaves has not tidied to the end", failed);
                    } else if (failed instanceof CacheException) {
                        // The coordinator was lost while it was asked; there will be another one.
                        LOGGER.debug("A member was lost while tidying", failed);
                        tidyLater();
                    } else {
                        LOGGER.error("The tables of {} could not be tidied, which is tried again",
                                engine.where(),
                                failed);
                        tidyLater();
                    }
                }
            });
        }
    }

    private void tidyLater() {
        CompletableFuture.delayedExecutor(AGAIN_MILLIS, TimeUnit.MILLISECONDS).execute(this::tidySoon);
    }

    private void tidy(Joined me) {
        if (isResting) {
            return;
        }
        keepMajority(me);
        recoverIfStuck(me);
        if (!engine.synced()) {
            // It comes back here when they are.
            return;
        }
        try {
            var isDone = keepRows(me);
            isDone &= repair(me);
            if (!isDone) {
                tidyLater();
            }
        } catch (NotServedException cut) {
            LOGGER.debug("Cut off while tidying", cut);
            tidyLater();
        }
    }

    private void keepMajority(Joined me) {
        var quorum = engine.wires().join().quorum();
        if (!quorum.settled().isDone() || quorum.isInDoubt()) {
            quorum.sayAgain();
            tidyLater();
        }
        var dead = quorum.missingHalves();
        dead.removeIf(each -> !isDead(each));
        if (!dead.isEmpty() && quorum.died(dead)) {
            LOGGER.warn("{} nodes are dead, for their ports on this machine are closed; as many others go on",
                    dead.size());
        }
        if (me.entries().isAvailable() && quorum.isMinority()) {
            // Else what this part has would count when it meets the others again.
            me.entries().setAvailable(false);
        } else if (!me.entries().isAvailable() && quorum.isRest() && me.manager().isCoordinator()) {
            me.entries().setAvailable(true);
        }
    }

    /**
     * Lets Infinispan ask all members what they have, if they see one another and it does not get on. Its coordinator forgets that two parts have
     * met when another member comes before it has dealt with that; then it waits for ever for members that have a later distribution.
     */
    private void recoverIfStuck(Joined me) {
        var settled = engine.wires().join().quorum().settled();
        if (!settled.isDone() || !me.manager().isCoordinator()
                || (me.entries().isSettled(settled.join())
                        && !me.reconciliation().isWaitingForSilentMember())) {
            patience = Duration.ZERO;
            return;
        }
        tidyLater();
        if (patience.isZero()) {
            waitingSince = System.nanoTime();
            patience = PATIENCE;
        } else if (System.nanoTime() - waitingSince > patience.toNanos()) {
            LOGGER.warn(
                    "All {} members see one another, but the tables are not on all of them after {}: asking them again what they have",
                    settled.join().size(), patience);
            waitingSince = System.nanoTime();
            patience = patience.multipliedBy(2);
            askAgain(me);
        }
    }

    /** Lets Infinispan do what it does after two parts have met: ask all members what they have, and make one distribution of it. */
    private void askAgain(Joined me) {
        var members = me.manager().getMembers();
        var view = GlobalComponentRegistry.componentOf(me.manager(), Transport.class).getViewId();
        GlobalComponentRegistry.componentOf(me.manager(), CacheManagerNotifier.class)
                .notifyMerge(members, members, me.manager().getAddress(), view, List.of(members))
                .whenComplete((done, failed) -> {
                    if (failed != null) {
                        LOGGER.warn("The members could not be asked", failed);
                    }
                });
    }

    private boolean keepRows(Joined me) {
        var own = rowName(me.manager().getAddress());
        var isDone = engine.read(own).isPresent() || change(own, null, me.self().bytes());
        if (me.manager().isCoordinator()) {
            var members = me.manager().getMembers();
            var gone = new HashMap<String, byte[]>();
            engine.read(InfinispanEngine.NODES, (node, row) -> {
                if (members.stream().noneMatch(member -> member.getNodeUUID().toString().equals(node))) {
                    gone.put(Entries.name(InfinispanEngine.NODES, node), row);
                }
            });
            for (var each : gone.entrySet()) {
                isDone &= change(each.getKey(), each.getValue(), null);
            }
        }
        return isDone;
    }

    private boolean change(String name, byte @Nullable [] expected, byte @Nullable [] next) {
        return engine.change(name, expected, next, Duration.ZERO) != Outcome.UNKNOWN;
    }

    /** Lets the nodes that decide them write entries again. When members come or go, {@link Reconciliation} does that for all. */
    private boolean repair(Joined me) {
        for (var name : Set.copyOf(doubtful)) {
            doubtful.remove(name);
            var decides = me.entries().topology().getDistribution(name).primary();
            if (!decides.equals(me.manager().getAddress())) {
                engine.wires().join().send(Wire.REPAIR, Address.toExtendedUUID(decides),
                        StandardCharsets.UTF_8.encode(name));
            } else {
                me.entries().writeAgain(name).whenComplete((isDone, failed) -> {
                    if (failed != null || !isDone) {
                        doubtful.add(name);
                        tidyLater();
                    }
                });
            }
        }
        return true;
    }

    /**
     * Whether a process is dead is known on loopback addresses alone: there a refused connection means that no process listens any more, while the port of a
     * frozen one still accepts.
     */
    private boolean isDead(UUID node) {
        return engine.row(node).filter(this::isDead).isPresent();
    }

    private boolean isDead(NodeRow row) {
        try (var knock = new Socket()) {
            var host = InetAddress.getByName(row.host());
            if (!host.isLoopbackAddress()
                    || !InetAddress.getByName(settings.node().host()).isLoopbackAddress()) {
                return false;
            }
            knock.connect(new InetSocketAddress(host, row.port()), KNOCK_MILLIS);
            return false;
        } catch (ConnectException refused) {
            return true;
        } catch (IOException notKnown) {
            LOGGER.debug("It is not known whether {}:{} is dead", row.host(), row.port(), notKnown);
            return false;
        }
    }
}
