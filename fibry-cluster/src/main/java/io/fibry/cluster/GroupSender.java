package io.fibry.cluster;

import io.fibry.AskCycleException;
import io.fibry.MailboxFullException;
import io.fibry.Recipient;
import io.fibry.Request;
import io.fibry.cluster.LetterBody.Want;
import io.fibry.cluster.home.Fate;
import io.fibry.cluster.stream.Verdict;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.keyed.SharedKeys;
import io.fibry.internal.memory.StackReserve;
import io.fibry.keyed.KeyedActors;
import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends messages to the homes of their keys, and tells what becomes of them.
 *
 * <p>The sender's thread makes the bytes, so what cannot cross fails there. If this node is the home, the sender's thread puts the message itself
 * into the mailbox, when all that has gone by way of the member before is in a mailbox: see {@link GroupRooms}.
 */
sealed class GroupSender<K, M, R> implements Recipient<M, R>, LetterSender permits SharedActors {
    private static final Logger LOGGER = LoggerFactory.getLogger(GroupSender.class);

    /** What a message takes that does not wait for room. */
    private static final long A_MOMENT = 1_000_000;

    private final String name;
    private final ClusterGroup<K, M, R> group;
    private final GroupCodec<K, M, R> codec;
    private final SliceOfKey slices;
    /** Where messages are counted that meet no handler; empty if this node has no actors of the group. */
    private final Optional<SharedKeys> keys;
    private final JoinedCluster cluster;
    private final GroupRooms rooms;

    GroupSender(ClusterGroup<K, M, R> group, GroupCodec<K, M, R> codec, Optional<SharedKeys> keys,
            JoinedCluster cluster) {
        name = group.name();
        this.group = group;
        this.codec = codec;
        slices = codec.slices(cluster.options.slices());
        this.keys = keys;
        rooms = cluster.rooms(group);
        this.cluster = cluster;
    }

    @Override
    public String name() {
        return name;
    }

    // ---- Sending. ----

    private Outgoing outgoing(Want want, Object message, Optional<Duration> limit) {
        return outgoing(want, "", message, limit);
    }

    private Outgoing outgoing(Want want, String id, Object message, Optional<Duration> limit) {
        var bytes = codec.bytes(Objects.requireNonNull(message, "message"));
        limit.ifPresent(GroupSender::check);
        return new Outgoing(this, message, new LetterBody(want, cluster.context.write(), id, bytes),
                sliceOf(message), limit);
    }

    private static void check(Duration limit) {
        if (limit.isNegative() || limit.isZero()) {
            throw new IllegalArgumentException("a time limit must be more than zero: " + limit);
        }
    }

    @SuppressWarnings("unchecked") // a request of another protocol has no key here, or does not cross
    private int sliceOf(Object message) {
        return slices.of(codec.key((M) message));
    }

    /** Takes room for a message, for which it may wait; returns why there is none. */
    private Optional<Cause> admit(Outgoing outgoing) {
        if (!cluster.takes()) {
            return Optional.of(Cause.NOT_SERVED);
        }
        if (outgoing.take(rooms.of(outgoing.slice), cluster.options.sendBuffer())) {
            return Optional.empty();
        }
        var limit = roomLimit(outgoing);
        var end = cluster.nanoTime() + limit;
        for (var left = limit; left > 0; left = end - cluster.nanoTime()) {
            var full = rooms.of(outgoing.slice);
            if (!cluster.member.await(new Input.AwaitRoom(() -> mayTryAgain(outgoing, full)),
                    Duration.ofNanos(left))
                    || !cluster.takes()) {
                break;
            }
            if (outgoing.take(rooms.of(outgoing.slice), cluster.options.sendBuffer())) {
                return Optional.empty();
            }
        }
        return Optional.of(cluster.takes() ? Cause.SLOW_NODE : Cause.NOT_SERVED);
    }

    /** Returns for how many nanoseconds a message waits for room: no longer than its own time limit. */
    private long roomLimit(Outgoing outgoing) {
        var limit = Durations.boundedNanos(cluster.options.roomLimit(), "roomLimit");
        return outgoing.limit
                .or(() -> outgoing.isAsk() ? Optional.of(cluster.options.askLimit()) : Optional.empty())
                .map(own -> Math.min(limit, Durations.boundedNanos(own, "limit"))).orElse(limit);
    }

    /** Whether there is room for a message that had none, those of its slice go to another node now, or this node sends no more. */
    private boolean mayTryAgain(Outgoing outgoing, Room full) {
        return rooms.of(outgoing.slice) != full || !cluster.takes()
                || full.mayTake(outgoing.size(), cluster.options.sendBuffer());
    }

    @Override
    public void dispatched(Outgoing outgoing, UUID node) {
        rooms.dispatched(outgoing, node);
    }

    /** Sends a message when there is room for it; returns why it was not sent, which is reported. */
    private Optional<Cause> give(Outgoing outgoing) {
        var refused = admit(outgoing);
        if (refused.isEmpty()) {
            rooms.depart(outgoing);
            var isGiven = false;
            try {
                isGiven = cluster.member.put(new Input.Send(outgoing));
            } finally {
                if (!isGiven) { // or there is too little stack
                    rooms.takeBack(outgoing);
                    outgoing.giveRoomBack();
                }
            }
            refused = isGiven ? Optional.empty() : Optional.of(Cause.NOT_SERVED);
        }
        refused.ifPresent(cause -> notAdmitted(outgoing, cause));
        return refused;
    }

    private void notAdmitted(Outgoing outgoing, Cause cause) {
        keys.ifPresent(counts -> counts.refuse(outgoing.message, cause));
        cluster.tellRefused(name, outgoing.message, cause);
    }

    private void lost(Outgoing outgoing, Cause cause) {
        keys.ifPresent(counts -> cluster.report(() -> counts.refuse(outgoing.message, cause)));
        cluster.watchers.addFate(new ClusterEvent.NotHandled(name, outgoing.message, cause));
    }

    @Override
    public boolean sendMessage(M message) {
        return tell(message, Optional.empty());
    }

    @Override
    public boolean sendMessage(M message, Duration timeToLive) {
        return tell(message, Optional.of(timeToLive));
    }

    private boolean tell(M message, Optional<Duration> limit) {
        try (var home = enter(message, limit)) {
            if (home != null) {
                return tellAtHome(home, message, limit);
            }
        }
        return give(outgoing(Want.TELL, message, limit)).isEmpty();
    }

    @Override
    public CompletableFuture<MessageFate> sendTracked(M message) {
        return track(outgoing(Want.FATE, message, Optional.empty()));
    }

    @Override
    public CompletableFuture<MessageFate> sendTracked(M message, Duration timeToLive) {
        return track(outgoing(Want.FATE, message, Optional.of(timeToLive)));
    }

    private CompletableFuture<MessageFate> track(Outgoing outgoing) {
        give(outgoing).ifPresent(cause -> outgoing.fate
                .complete(new MessageFate.Refused(cause, notHandled(outgoing, cause, cluster.self()))));
        return outgoing.fate;
    }

    @Override
    public CompletableFuture<R> sendMessageReturn(M message) {
        return ask(Want.ANSWER, message, Optional.empty(), KeyedActors::ask);
    }

    @Override
    public CompletableFuture<R> ask(M message, Duration timeout) {
        return ask(Want.ANSWER, message, Optional.of(timeout), KeyedActors::ask);
    }

    @Override
    public <A extends @Nullable Object> CompletableFuture<A> request(Request<A> request) {
        return ask(Want.REPLY, request, Optional.empty(), KeyedActors::request);
    }

    @Override
    public <A extends @Nullable Object> CompletableFuture<A> request(Request<A> request, Duration timeout) {
        return ask(Want.REPLY, request, Optional.of(timeout), KeyedActors::request);
    }

    /** A way to ask the actors of this node. */
    private interface AskAtHome<K, M, R, T, A extends @Nullable Object> {
        CompletableFuture<A> ask(KeyedActors<K, M, R> actors, T message, Duration limit);
    }

    private <T, A extends @Nullable Object> CompletableFuture<A> ask(Want want, T message,
            Optional<Duration> limit, AskAtHome<K, M, R, T, A> way) {
        if (!(message instanceof Repeatable)) {
            try (var home = enter(message, limit)) {
                if (home != null) {
                    return askAtHome(home, message, limit.orElse(cluster.options.askLimit()), way);
                }
            }
        }
        return ask(outgoing(want, message, limit));
    }

    /** Asks with a message that has an id. */
    CompletableFuture<?> askIdentified(String id, Object message, Duration timeout) {
        return ask(outgoing(Want.IDENTIFIED, id, message, Optional.of(timeout)));
    }

    @SuppressWarnings("unchecked") // the home has the same types, and the codec reads no others
    private <A extends @Nullable Object> CompletableFuture<A> ask(Outgoing outgoing) {
        var limit = outgoing.limit.orElse(cluster.options.askLimit());
        var begin = cluster.nanoTime();
        var refused = admit(outgoing);
        if (refused.isPresent()) {
            notAdmitted(outgoing, refused.get());
            return CompletableFuture.failedFuture(notHandled(outgoing, refused.get(), cluster.self()));
        }
        rooms.depart(outgoing);
        CompletableFuture<@Nullable Object> answer;
        try {
            answer = cluster.member.ask(new Input.Send(outgoing), left(limit, cluster.nanoTime() - begin));
        } catch (StackOverflowError deep) { // nothing was sent
            rooms.takeBack(outgoing);
            outgoing.giveRoomBack();
            throw deep;
        }
        var unused = answer.whenComplete((value, failure) -> {
            rooms.takeBack(outgoing);
            outgoing.giveRoomBack();
        });
        return (CompletableFuture<A>) answer;
    }

    /** Returns what is left of a time limit: the time for which a message has waited for room is a part of its time. */
    private static Duration left(Duration limit, long waited) {
        return waited < A_MOMENT ? limit
                : Duration.ofNanos(Math.max(1, Durations.boundedNanos(limit, "limit") - waited));
    }

    // ---- At home. ----

    /** Goes in to the actors of this node, if it is the home of the key and nothing is overtaken by that; null otherwise. */
    private @Nullable AtHome<K, M, R> enter(Object message, Optional<Duration> limit) {
        if (!hasSlices() || !cluster.takes()) {
            return null;
        }
        Objects.requireNonNull(message, "message");
        limit.ifPresent(GroupSender::check);
        codec.requireCrossing(message);
        StackReserve.require(); // a sender that has gone in must come out
        return rooms.enter(group, sliceOf(message));
    }

    private <T, A extends @Nullable Object> CompletableFuture<A> askAtHome(AtHome<K, M, R> home, T message,
            Duration limit, AskAtHome<K, M, R, T, A> way) {
        try {
            return way.ask(home.actors(), message, limit);
        } catch (MailboxFullException full) {
            return CompletableFuture.failedFuture(new FailuresAtHome(name, cluster.self()).lost(full));
        } catch (RuntimeException notTaken) { // durable actors refuse some keys
            return CompletableFuture.failedFuture(AnswerBody.failure(notTaken).exception());
        }
    }

    private boolean tellAtHome(AtHome<K, M, R> home, M message, Optional<Duration> limit) {
        Cause cause;
        try {
            if (limit.isPresent() ? home.actors().sendMessage(message, limit.get())
                    : home.actors().sendMessage(message)) {
                return true;
            }
            cause = home.whyRefused();
        } catch (MailboxFullException full) {
            cause = Cause.FULL;
        } catch (RuntimeException notTaken) { // as above
            LOGGER.warn("A message to the group '{}' was not taken: the program has thrown an exception",
                    name, notTaken);
            cause = Cause.NOT_UNDERSTOOD;
        }
        cluster.tellRefused(name, message, cause); // counted by the actors
        return false;
    }

    // ---- What the actor of the member tells. ----

    @Override
    public void arrived(Outgoing outgoing) {
        rooms.arrive(outgoing);
    }

    @Override
    public void told(Outgoing outgoing, Fate fate) {
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
                if (refused.node().equals(cluster.self().incarnation())) {
                    cluster.watchers.addFate(new ClusterEvent.NotHandled(name, outgoing.message, cause)); // counted where it was refused
                } else {
                    lost(outgoing, cause);
                }
            }
            case Fate.NotServed not -> lost(outgoing, Cause.NOT_SERVED);
        }
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

    private ClusterException failure(Outgoing outgoing, Fate fate) {
        return switch (fate) {
            case Fate.Uncertain uncertain -> {
                var node = cluster.node(uncertain.node());
                yield new UncertainException("The node '" + node.name()
                        + "' was lost before it answered a message of "
                        + outgoing.message.getClass().getSimpleName() + " to the group '" + name + "'"
                        + ": nobody knows whether it was handled; ask again if it may be handled twice, or let its"
                        + " class implement Repeatable",
                        node);
            }
            case Fate.Refused refused ->
                notHandled(outgoing, cause(refused.why()), cluster.node(refused.node()));
            case Fate.NotServed not -> notHandled(outgoing, Cause.NOT_SERVED, cluster.self());
            case Fate.Expired expired -> new NotHandledException(
                    what(outgoing) + " was not sent in time: "
                            + (hasSlices() ? "its key had no home, or its home was moving"
                                    : "no node had workers that took it"));
            case Fate.Taken taken -> throw new IllegalStateException("taken is no failure");
        };
    }

    private NotHandledException notHandled(Outgoing outgoing, Cause cause, ClusterNode by) {
        return new NotHandledException(what(outgoing) + " was not handled by node '" + by.name() + "': "
                + switch (cause) {
                    case NOT_SERVED -> "it is cut off from the cluster, or leaves or has left";
                    case SLOW_NODE -> tooMuch(rooms.of(outgoing.slice));
                    case NOT_UNDERSTOOD ->
                        "it does not know the message; give the group the same types and the same keyOf on all nodes";
                    case FULL -> hasSlices() ? "the mailbox is full"
                            : "its workers have as much to do as they may, and so have those of all other nodes";
                    default -> "the actor has stopped";
                });
    }

    private String tooMuch(Room room) {
        return room.underway() + " bytes are underway to "
                + (hasSlices() ? rooms.isHomeless(room) ? "keys without a home" : "the home of its key"
                        : "workers")
                + ", and "
                + cluster.options.sendBuffer() + " may be; send less, or set ClusterOptions.sendBuffer";
    }

    private boolean hasSlices() {
        return slices.slices() > 0;
    }

    private String what(Outgoing outgoing) {
        return "A message of " + outgoing.message.getClass().getSimpleName() + " to the group '" + name + "'";
    }

    private static Cause cause(Verdict verdict) {
        return switch (verdict) {
            case FULL -> Cause.FULL;
            case NOT_UNDERSTOOD -> Cause.NOT_UNDERSTOOD;
            default -> Cause.STOPPED;
        };
    }

    @Override
    public void answered(Outgoing outgoing, byte[] bytes) {
        if (outgoing.body.want() == Want.FATE) {
            outgoing.giveRoomBack();
        }
        outgoing.isOver = true;
        cluster.aside(() -> {
            try {
                complete(outgoing, AnswerBody.of(bytes));
            } catch (Throwable notUnderstood) { // the constructors of answers are the program's
                outgoing.fate.completeExceptionally(notUnderstood);
                outgoing.fail(notUnderstood);
            }
        });
    }

    private void complete(Outgoing outgoing, AnswerBody answer) {
        if (outgoing.isAsk()) {
            switch (answer) {
                case AnswerBody.Value value -> outgoing.complete(codec.value(value));
                case AnswerBody.Nothing nothing -> outgoing.complete(null);
                case AnswerBody.Failure failure -> outgoing.fail(failure.exception());
                case AnswerBody.NotHandled not -> outgoing.fail(new NotHandledException(not.message()));
                case AnswerBody.Expired expired -> outgoing.fail(failure(outgoing, new Fate.Expired()));
                case AnswerBody.Fates fates ->
                    throw new IllegalStateException("a message of a group has the fates of a publication");
            }
        } else {
            outgoing.fate.complete(answer.fate());
        }
    }

    @Override
    public void refuse(Outgoing outgoing, AskCycleException cycle) {
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
