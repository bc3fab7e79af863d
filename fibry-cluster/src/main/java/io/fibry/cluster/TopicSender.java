package io.fibry.cluster;

import io.fibry.AskCycleException;
import io.fibry.cluster.LetterBody.Want;
import io.fibry.cluster.home.Fate;
import io.fibry.cluster.home.Letter;
import io.fibry.cluster.home.NodeLoad;
import io.fibry.cluster.stream.Verdict;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.memory.StackReserve;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Sends what is published on this node to the other nodes that have the topic, once to each.
 *
 * <p>Thread-safe. The publisher's thread makes the bytes, and waits for room where the topic is to block.
 */
final class TopicSender implements LetterSender {
    private final String name;
    private final JoinedCluster cluster;
    private final boolean blocks;
    /** What is underway to each node. Grows by one for each node that ever had the topic. */
    private final Map<UUID, Room> rooms = new ConcurrentHashMap<>();

    TopicSender(String name, boolean blocks, JoinedCluster cluster) {
        this.name = name;
        this.blocks = blocks;
        this.cluster = cluster;
    }

    @Override
    public String name() {
        return name;
    }

    /** Returns how many subscribers other nodes have told that they have. */
    int subscribers() {
        var sum = 0;
        for (var load : cluster.loads.loads(name).values()) {
            sum += load.size();
        }
        return sum;
    }

    /** Publishes a message on all other nodes; returns how many subscribers are to get it. */
    int publish(Object message, byte[] bytes) {
        var to = new AtomicInteger();
        var loads = cluster.loads.loads(name);
        giveAll(nodes(message), () -> outgoing(Want.TELL, message, bytes), (node, outgoing) -> {
            if (cluster.member.put(new Input.Send(outgoing))) {
                to.addAndGet(Optional.ofNullable(loads.get(node)).map(NodeLoad::size).orElse(0));
            } else {
                outgoing.giveRoomBack();
                cluster.tellRefused(name, message, Cause.NOT_SERVED);
            }
        }, (node, cause) -> {
        });
        return to.get();
    }

    /** Publishes a message on all other nodes; returns what each of them tells of its subscribers. */
    Map<ClusterNode, CompletableFuture<AnswerBody.Fates>> publishTracked(Object message, byte[] bytes) {
        var told = new LinkedHashMap<ClusterNode, CompletableFuture<AnswerBody.Fates>>();
        giveAll(nodes(message), () -> outgoing(Want.ANSWER, message, bytes), (node, outgoing) -> {
            var answer = cluster.member.ask(new Input.Send(outgoing), cluster.options.askLimit());
            var unused = answer.whenComplete((value, failure) -> outgoing.giveRoomBack());
            told.put(cluster.node(node), answer.thenApply(AnswerBody.Fates.class::cast));
        }, (node, cause) -> told.put(cluster.node(node), CompletableFuture.failedFuture(
                cause == Cause.NOT_SERVED ? notServed(message) : tooSlow(node))));
        return told;
    }

    /** Gives a message to each node that has room for it, and then to those that get some, while the publisher waits. */
    private void giveAll(List<UUID> nodes, Supplier<Outgoing> outgoings, BiConsumer<UUID, Outgoing> way,
            BiConsumer<UUID, Cause> refused) {
        var late = new LinkedHashMap<UUID, Outgoing>();
        for (var node : nodes) {
            StackReserve.require(); // what takes room must be able to give it back
            var outgoing = outgoings.get();
            outgoing.to = node;
            if (outgoing.take(room(node), cluster.options.sendBuffer())) {
                give(outgoing, node, way);
            } else {
                late.put(node, outgoing);
            }
        }
        if (blocks && !late.isEmpty()) {
            giveLate(late, way);
        }
        late.forEach((node, outgoing) -> {
            var cause = cluster.takes() ? Cause.SLOW_NODE : Cause.NOT_SERVED;
            cluster.tellRefused(name, outgoing.message, cause);
            refused.accept(node, cause);
        });
    }

    /** Waits until nodes have room, all together for so long as for one; what is given is removed. */
    private void giveLate(Map<UUID, Outgoing> late, BiConsumer<UUID, Outgoing> way) {
        var end = cluster.nanoTime() + Durations.boundedNanos(cluster.options.roomLimit(), "roomLimit");
        var isWorthIt = true;
        while (isWorthIt && !late.isEmpty()) {
            var left = end - cluster.nanoTime();
            var waiting = Map.copyOf(late);
            isWorthIt = left > 0 && cluster.takes()
                    && cluster.member.await(new Input.AwaitRoom(() -> !cluster.takes() || mayTake(waiting)),
                            Duration.ofNanos(left))
                    && cluster.takes();
            for (var node : waiting.keySet()) {
                var outgoing = waiting.get(node);
                StackReserve.require();
                if (isWorthIt && outgoing.take(room(node), cluster.options.sendBuffer())) {
                    late.remove(node);
                    give(outgoing, node, way);
                }
            }
        }
    }

    /** Called by the actor of the member. */
    private boolean mayTake(Map<UUID, Outgoing> waiting) {
        return waiting.entrySet().stream()
                .anyMatch(each -> room(each.getKey()).mayTake(each.getValue().size(),
                        cluster.options.sendBuffer()));
    }

    private Room room(UUID node) {
        return rooms.computeIfAbsent(node, missing -> new Room());
    }

    private List<UUID> nodes(Object message) {
        if (!cluster.takes()) {
            cluster.tellRefused(name, message, Cause.NOT_SERVED);
            return List.of();
        }
        return cluster.loads.hosts(name).stream().filter(node -> !node.equals(cluster.self().incarnation()))
                .toList();
    }

    private Outgoing outgoing(Want want, Object message, byte[] bytes) {
        return new Outgoing(this, message, new LetterBody(want, cluster.context.write(), bytes),
                Letter.NO_SLICE, Optional.empty());
    }

    private static void give(Outgoing outgoing, UUID node, BiConsumer<UUID, Outgoing> way) {
        var isGiven = false;
        try {
            way.accept(node, outgoing);
            isGiven = true;
        } finally {
            if (!isGiven) { // there is too little stack
                outgoing.giveRoomBack();
            }
        }
    }

    private String text(Object message) {
        return "A message of " + message.getClass().getSimpleName() + " to the topic '" + name + "'";
    }

    private NotHandledException notServed(Object message) {
        return new NotHandledException(text(message)
                + " was not sent: this node is cut off from the cluster, or leaves or has left");
    }

    private NotHandledException tooSlow(UUID node) {
        return new NotHandledException("A message to the topic '" + name + "' was not sent to node '"
                + cluster.node(node).name() + "': " + cluster.options.sendBuffer()
                + " bytes of it are underway to that node, and no more may be; publish less, or set ClusterOptions.sendBuffer");
    }

    private void notHandled(Outgoing outgoing, Cause cause) {
        cluster.watchers.addFate(new ClusterEvent.NotHandled(name, outgoing.message, cause));
    }

    // ---- What the actor of the member tells. ----

    @Override
    public void dispatched(Outgoing outgoing, UUID node) {
        // It has taken room for this node.
    }

    @Override
    public void arrived(Outgoing outgoing) {
        // Nothing waits for that.
    }

    @Override
    public void told(Outgoing outgoing, Fate fate) {
        if (fate instanceof Fate.Uncertain) {
            cluster.uncertain.increment();
        }
        if (!outgoing.isAsk()) {
            outgoing.giveRoomBack();
            tell(outgoing, fate);
        } else if (!(fate instanceof Fate.Taken)) {
            outgoing.isOver = true;
            cluster.aside(() -> end(outgoing, fate));
        }
    }

    private void tell(Outgoing outgoing, Fate fate) {
        switch (fate) {
            case Fate.Uncertain uncertain -> cluster.watchers.addFate(
                    new ClusterEvent.Uncertain(name, outgoing.message, cluster.node(uncertain.node())));
            case Fate.NotServed not -> notHandled(outgoing, Cause.NOT_SERVED);
            case Fate.Refused refused -> {
                if (refused.why() == Verdict.NOT_UNDERSTOOD) {
                    notHandled(outgoing, Cause.NOT_UNDERSTOOD);
                }
                // Otherwise the node has closed the topic, so it has no subscribers.
            }
            case Fate.Taken taken -> {
            }
            case Fate.Expired expired -> {
            }
        }
    }

    private void end(Outgoing outgoing, Fate fate) {
        var what = text(outgoing.message);
        switch (fate) {
            case Fate.Uncertain uncertain -> {
                var node = cluster.node(uncertain.node());
                var isFirst = outgoing.fail(new UncertainException(
                        "The node '" + node.name() + "' was lost before it told what became of "
                                + what.substring(0, 1).toLowerCase(Locale.ROOT) + what.substring(1)
                                + ": it is not known whether its subscribers have handled it",
                        node));
                if (!isFirst) {
                    cluster.uncertain.decrement();
                }
            }
            case Fate.Refused refused when refused.why() != Verdict.NOT_UNDERSTOOD ->
                outgoing.complete(new AnswerBody.Fates(Map.of())); // it has closed the topic
            case Fate.Refused refused -> outgoing.fail(new NotHandledException(what
                    + " was not handled by node '" + cluster.node(refused.node()).name()
                    + "': it does not know the message; give the topic the same types on all nodes"));
            case Fate.NotServed not -> outgoing.fail(notServed(outgoing.message));
            case Fate.Expired expired ->
                outgoing.fail(new NotHandledException(what + " was not sent in time"));
            case Fate.Taken taken -> {
            }
        }
    }

    @Override
    public void answered(Outgoing outgoing, byte[] bytes) {
        outgoing.isOver = true;
        cluster.aside(() -> {
            try {
                switch (AnswerBody.of(bytes)) {
                    case AnswerBody.Fates fates -> outgoing.complete(fates);
                    case AnswerBody.Value value ->
                        throw new IllegalStateException("a publication was answered as a message of a group");
                    case AnswerBody.Failure failure -> outgoing.fail(failure.exception());
                    case AnswerBody.NotHandled not -> outgoing.fail(new NotHandledException(not.message()));
                    case AnswerBody.Nothing nothing -> outgoing.complete(new AnswerBody.Fates(Map.of()));
                    case AnswerBody.Expired expired -> outgoing.complete(new AnswerBody.Fates(Map.of()));
                }
            } catch (Throwable notUnderstood) {
                outgoing.fail(notUnderstood);
            }
        });
    }

    @Override
    public void refuse(Outgoing outgoing, AskCycleException cycle) {
        cluster.aside(() -> outgoing.fail(cycle));
    }
}
