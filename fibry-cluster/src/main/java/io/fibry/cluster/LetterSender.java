package io.fibry.cluster;

import io.fibry.AskCycleException;
import io.fibry.cluster.LetterBody.Want;
import io.fibry.cluster.home.Fate;
import io.fibry.cluster.stream.Verdict;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.keyed.SharedKeys;
import io.fibry.internal.memory.StackReserve;
import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends letters of a group by way of the actor of the member, and tells what becomes of them. Any thread sends. The
 * actor of the member calls the methods that tell something, and these do not wait.
 */
abstract sealed class LetterSender permits GroupSender, TopicSender {
    final JoinedCluster cluster;
    final GroupRooms rooms;
    private final String name;
    /** Where messages are counted that meet no handler; empty if this node has no actors of the group. */
    private final Optional<SharedKeys> keys;

    LetterSender(ClusterGroup<?, ?, ?> group, Optional<SharedKeys> keys, JoinedCluster cluster) {
        name = group.name();
        this.keys = keys;
        this.cluster = cluster;
        rooms = cluster.rooms(group);
    }

    /** Returns the name of the group. */
    public final String name() {
        return name;
    }

    /** Returns what messages are sent to, for people. Called by any thread. */
    abstract String title();

    /** Returns why a node has not handled a message, for people. */
    abstract String why(Outgoing outgoing, Cause cause);

    /** Returns what is uncertain when a node is lost with a message, for people. */
    abstract String whatIsUncertain();

    /** Returns the value of an answer. */
    abstract @Nullable Object value(AnswerBody answer);

    // ---- Sending. ----

    /** Takes room for a message, if there is some. */
    final boolean takeRoom(Outgoing outgoing) {
        StackReserve.require(); // what takes room must be able to give it back
        return outgoing.take(rooms.of(outgoing), cluster.options.sendBuffer());
    }

    /**
     * Waits until messages get room, all together for so long as for one.
     *
     * @param late the messages; those that get room are removed
     * @param limit for how many nanoseconds they wait
     * @param admitted gets each message that has room now
     */
    final void awaitRoom(Collection<Outgoing> late, long limit, Consumer<Outgoing> admitted) {
        var end = cluster.nanoTime() + limit;
        for (var left = limit; left > 0 && !late.isEmpty(); left = end - cluster.nanoTime()) {
            var conditions = late.stream().map(this::mayTryAgain).toList();
            var again = new Input.Await(() -> {
                for (var condition : conditions) {
                    if (condition.getAsBoolean()) {
                        return true;
                    }
                }
                return !cluster.takes();
            });
            if (!cluster.member.await(again, Duration.ofNanos(left)) || !cluster.takes()) {
                return;
            }
            for (var outgoing : List.copyOf(late)) {
                if (takeRoom(outgoing)) {
                    late.remove(outgoing);
                    admitted.accept(outgoing);
                }
            }
        }
    }

    /** Tells the member whether to try a message without room again: there is room, or its slice goes to another node. */
    private BooleanSupplier mayTryAgain(Outgoing outgoing) {
        var full = rooms.of(outgoing);
        return () -> rooms.of(outgoing) != full
                || full.mayTake(outgoing.size(), cluster.options.sendBuffer());
    }

    /** Gives a message that has room to the actor of the member; returns false if that has ended. */
    final boolean give(Outgoing outgoing) {
        rooms.depart(outgoing);
        var isGiven = false;
        try {
            isGiven = cluster.member.put(new Input.Send(outgoing));
        } finally {
            if (!isGiven) { // or there is too little stack
                end(outgoing);
            }
        }
        return isGiven;
    }

    /** Gives an ask that has room to the actor of the member. */
    final CompletableFuture<@Nullable Object> giveAsk(Outgoing outgoing, Duration limit) {
        rooms.depart(outgoing);
        CompletableFuture<@Nullable Object> answer;
        try {
            answer = cluster.member.ask(new Input.Send(outgoing), limit);
        } catch (StackOverflowError deep) { // nothing was sent
            end(outgoing);
            throw deep;
        }
        var unused = answer.whenComplete((value, failure) -> end(outgoing));
        return answer;
    }

    private void end(Outgoing outgoing) {
        rooms.takeBack(outgoing);
        outgoing.giveRoomBack();
    }

    /** A message was refused before it was given to the actor of the member. */
    final void tellRefused(Outgoing outgoing, Cause cause) {
        keys.ifPresent(counts -> counts.refuse(outgoing.message, cause));
        cluster.tellNotHandled(name, outgoing.message, cause);
    }

    // ---- What the actor of the member tells. ----

    /** A message goes to a node. */
    final void dispatched(Outgoing outgoing, UUID node) {
        rooms.dispatched(outgoing, node);
    }

    /** A message is in a mailbox, or will never be. Called once or a few times. */
    final void arrived(Outgoing outgoing) {
        rooms.arrive(outgoing);
    }

    /** The fate of a message is known, but for asks that were taken. */
    void told(Outgoing outgoing, Fate fate) {
        if (fate instanceof Fate.Uncertain) {
            cluster.uncertain.increment();
        }
        switch (outgoing.body.want()) {
            case TELL -> {
                outgoing.giveRoomBack();
                tellFate(outgoing, fate);
            }
            case FATE -> completeFate(outgoing, fate);
            case ANSWER, REPLY, IDENTIFIED -> {
                // When its time is over, the time limit of the ask ends it.
                if (!(fate instanceof Fate.Taken || fate instanceof Fate.Expired)) {
                    fail(outgoing, failure(outgoing, fate));
                }
            }
        }
    }

    private void tellFate(Outgoing outgoing, Fate fate) {
        switch (fate) {
            case Fate.Taken taken -> {
            }
            case Fate.Uncertain uncertain -> cluster.watchers.addFate(
                    new ClusterEvent.Uncertain(name, outgoing.message, cluster.node(uncertain.node())));
            case Fate.Expired expired -> {
                var limit = outgoing.limit.orElse(Duration.ZERO);
                keys.ifPresent(counts -> cluster.report(() -> counts.expire(outgoing.message, limit)));
                cluster.watchers.addFate(new ClusterEvent.Expired(name, outgoing.message, limit));
            }
            case Fate.Refused refused -> {
                var cause = cause(refused.why());
                if (refused.node().equals(cluster.self.incarnation())) { // counted where it was refused
                    cluster.watchers.addFate(new ClusterEvent.NotHandled(name, outgoing.message, cause));
                } else {
                    lost(outgoing, cause);
                }
            }
            case Fate.NotServed not -> lost(outgoing, Cause.NOT_SERVED);
        }
    }

    private void lost(Outgoing outgoing, Cause cause) {
        keys.ifPresent(counts -> cluster.report(() -> counts.refuse(outgoing.message, cause)));
        cluster.watchers.addFate(new ClusterEvent.NotHandled(name, outgoing.message, cause));
    }

    private void completeFate(Outgoing outgoing, Fate fate) {
        if (fate instanceof Fate.Taken) {
            return;
        }
        outgoing.giveRoomBack();
        outgoing.isOver = true;
        cluster.aside(() -> {
            switch (fate) {
                case Fate.Taken taken -> {
                }
                case Fate.Expired expired -> outgoing.fate.complete(new MessageFate.Expired());
                case Fate.Uncertain uncertain ->
                    outgoing.fate.completeExceptionally(failure(outgoing, fate));
                case Fate.Refused refused -> outgoing.fate
                        .complete(new MessageFate.Refused(cause(refused.why()), failure(outgoing, fate)));
                case Fate.NotServed not -> outgoing.fate
                        .complete(new MessageFate.Refused(Cause.NOT_SERVED, failure(outgoing, fate)));
            }
        });
    }

    private static Cause cause(Verdict verdict) {
        return switch (verdict) {
            case FULL -> Cause.FULL;
            case NOT_UNDERSTOOD -> Cause.NOT_UNDERSTOOD;
            default -> Cause.STOPPED;
        };
    }

    private ClusterException failure(Outgoing outgoing, Fate fate) {
        return switch (fate) {
            case Fate.Uncertain uncertain -> {
                var node = cluster.node(uncertain.node());
                yield new UncertainException(
                        "The node '" + node.name() + "' was lost before it answered a message of "
                                + outgoing.message.getClass().getSimpleName() + " to " + title() + ": "
                                + whatIsUncertain(),
                        node);
            }
            case Fate.Refused refused ->
                notHandled(outgoing, cause(refused.why()), cluster.node(refused.node()));
            case Fate.NotServed not -> notHandled(outgoing, Cause.NOT_SERVED, cluster.self);
            default -> throw new IllegalStateException(fate + " is no failure");
        };
    }

    final NotHandledException notHandled(Outgoing outgoing, Cause cause, ClusterNode by) {
        return new NotHandledException(what(outgoing) + " was not handled by node '" + by.name() + "': "
                + (cause == Cause.NOT_SERVED
                        ? "it is cut off from the cluster, or leaves or has left; send again later, or from another node"
                        : why(outgoing, cause)));
    }

    private String what(Outgoing outgoing) {
        return "A message of " + outgoing.message.getClass().getSimpleName() + " to " + title();
    }

    /** The answer has come, or the fate that was wanted. */
    final void answered(Outgoing outgoing, byte[] bytes) {
        if (outgoing.body.want() == Want.FATE) {
            outgoing.giveRoomBack();
        }
        outgoing.isOver = true;
        cluster.aside(() -> {
            try {
                complete(outgoing, read(outgoing, bytes));
            } catch (Throwable notUnderstood) { // the constructors of answers are the program's
                outgoing.fate.completeExceptionally(notUnderstood);
                outgoing.fail(notUnderstood);
            }
        });
    }

    private AnswerBody read(Outgoing outgoing, byte[] bytes) {
        try {
            return AnswerBody.of(bytes);
        } catch (ClusterException unread) {
            throw new ClusterException("The answer of " + title() + " on " + outgoing.at()
                    + " cannot be read: " + unread.getMessage(), unread);
        }
    }

    private void complete(Outgoing outgoing, AnswerBody answer) {
        if (!outgoing.isAsk()) {
            outgoing.fate.complete(answer.fate());
            return;
        }
        switch (answer) {
            case AnswerBody.Failure failure -> outgoing.fail(failure.exception());
            case AnswerBody.NotHandled not -> outgoing.fail(new NotHandledException(not.message()));
            default -> outgoing.complete(value(answer));
        }
    }

    /** Fails an ask for which an actor would wait for ever. The home is told that it was given up. */
    final void refuse(Outgoing outgoing, AskCycleException cycle) {
        cluster.aside(() -> outgoing.fail(cycle));
    }

    private void fail(Outgoing outgoing, ClusterException failure) {
        outgoing.isOver = true;
        cluster.aside(() -> {
            if (!outgoing.fail(failure) && failure instanceof UncertainException) {
                cluster.uncertain.decrement();
            }
        });
    }
}
