package io.fibry.cluster;

import io.fibry.cluster.home.NodeLoad;
import io.fibry.event.Undelivered.Cause;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What senders need of the node. */
interface MemberLink {
    /** Whether messages may be sent: the node sees the majority, and has not handed over everything. */
    boolean takes();

    /** Gives a message to the actor of the member; returns false if it has ended. */
    boolean give(Outgoing outgoing);

    /** Gives a message to the actor of the member and asks for the answer. */
    CompletableFuture<@Nullable Object> ask(Outgoing outgoing, Duration limit);

    /** How long an ask may take that has no other limit. */
    Duration askLimit();

    /** How many bytes of a group may be underway to a node. */
    long sendBuffer();

    /** Waits until a sender may try again to get room, and no longer than senders may wait; returns false when that time is over. */
    boolean awaitRoom(BooleanSupplier mayTryAgain, Duration limit);

    /** How long a sender may wait for room. */
    Duration roomLimit();

    /** Returns a time of the scope's clock in nanoseconds. */
    long nanoTime();

    /** The context that goes with messages. */
    LetterContext context();

    /** Counts a message whose fate is not known. */
    void countUncertain();

    /** An ask that was counted has ended in another way, a moment before. */
    void countCertain();

    /** Tells watchers what has become of a message that was given to the actor of the member, which calls this. */
    void tell(ClusterEvent event);

    /** Tells watchers that a message was refused before it was given to the actor of the member. */
    void tellRefused(String group, Object message, Cause cause);

    /** Returns the nodes that this one sees and that have a topic. */
    Set<UUID> hosts(String group);

    /** Returns what other nodes have told about their workers or subscribers. */
    Map<UUID, NodeLoad> loads(String group);

    /** Runs code that may take long, on a thread of its own. */
    void aside(Runnable code);

    /** Runs code that calls listeners of the program, not on the calling thread, and in the order of the calls. */
    void report(Runnable code);

    /** Returns a node that is there or was there. */
    ClusterNode node(UUID incarnation);

    /** Returns this node. */
    ClusterNode self();
}
