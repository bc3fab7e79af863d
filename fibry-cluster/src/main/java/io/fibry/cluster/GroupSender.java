package io.fibry.cluster;

import io.fibry.MailboxFullException;
import io.fibry.Recipient;
import io.fibry.Request;
import io.fibry.cluster.LetterBody.Want;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.keyed.SharedKeys;
import io.fibry.internal.memory.StackReserve;
import io.fibry.keyed.KeyedActors;
import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
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
sealed class GroupSender<K, M, R> extends LetterSender implements Recipient<M, R> permits SharedActors {
    private static final Logger LOGGER = LoggerFactory.getLogger(GroupSender.class);

    /** What a message takes that does not wait for room. */
    private static final long A_MOMENT = 1_000_000;

    private final ClusterGroup<K, M, R> group;
    private final GroupCodec<K, M, R> codec;
    private final SliceOfKey slices;

    GroupSender(ClusterGroup<K, M, R> group, GroupCodec<K, M, R> codec, Optional<SharedKeys> keys,
            JoinedCluster cluster) {
        super(group, keys, cluster);
        this.group = group;
        this.codec = codec;
        slices = codec.slices(cluster.options.slices());
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
        var unused = Durations.positiveNanos(limit, "limit");
    }

    @SuppressWarnings("unchecked") // a request of another protocol has no key here, or does not cross
    private int sliceOf(Object message) {
        return slices.of(codec.key((M) message));
    }

    /** Takes room for a message, for which it may wait; returns why there is none, which is reported. */
    private Optional<Cause> admit(Outgoing outgoing) {
        if (cluster.takes()) {
            if (takeRoom(outgoing)) {
                return Optional.empty();
            }
            var late = new ArrayList<>(List.of(outgoing));
            awaitRoom(late, roomLimit(outgoing), admitted -> {
            });
            if (late.isEmpty()) {
                return Optional.empty();
            }
        }
        var cause = cluster.takes() ? Cause.SLOW_NODE : Cause.NOT_SERVED;
        tellRefused(outgoing, cause);
        return Optional.of(cause);
    }

    /** Returns for how many nanoseconds a message waits for room: no longer than its own time limit. */
    private long roomLimit(Outgoing outgoing) {
        var limit = Durations.boundedNanos(cluster.options.roomLimit(), "roomLimit");
        return outgoing.limit
                .or(() -> outgoing.isAsk() ? Optional.of(cluster.options.askLimit()) : Optional.empty())
                .map(own -> Math.min(limit, Durations.boundedNanos(own, "limit"))).orElse(limit);
    }

    /** Sends a message when there is room for it; returns why it was not sent, which is reported. */
    private Optional<Cause> send(Outgoing outgoing) {
        var refused = admit(outgoing);
        if (refused.isPresent() || give(outgoing)) {
            return refused;
        }
        tellRefused(outgoing, Cause.NOT_SERVED);
        return Optional.of(Cause.NOT_SERVED);
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
        return send(outgoing(Want.TELL, message, limit)).isEmpty();
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
        send(outgoing).ifPresent(cause -> outgoing.fate
                .complete(new MessageFate.Refused(cause, notHandled(outgoing, cause, cluster.self))));
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
        return (CompletableFuture<A>) refused
                .<CompletableFuture<?>>map(cause -> CompletableFuture
                        .failedFuture(notHandled(outgoing, cause, cluster.self)))
                .orElseGet(() -> giveAsk(outgoing, left(limit, cluster.nanoTime() - begin)));
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
            return CompletableFuture.failedFuture(new FailuresAtHome(name(), cluster.self).lost(full));
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
                    name(), notTaken);
            cause = Cause.NOT_UNDERSTOOD;
        }
        cluster.tellNotHandled(name(), message, cause); // counted by the actors
        return false;
    }

    // ---- What is told. ----

    @Override
    String title() {
        return "the group '" + name() + "'";
    }

    @Override
    String why(Outgoing outgoing, Cause cause) {
        return switch (cause) {
            case SLOW_NODE -> tooMuch(rooms.of(outgoing));
            case NOT_UNDERSTOOD ->
                "it does not know the message; give the group the same types and the same keyOf on all nodes";
            case FULL -> hasSlices()
                    ? "the mailbox of its key is full; send less to one key, or give its actors a larger mailbox"
                    : "its workers have as much to do as they may, and so have those of all other nodes";
            default ->
                "its actors have ended there, or the node is cut off; send it again later, or share the group again if it was stopped";
        };
    }

    private String tooMuch(Room room) {
        return room.underway() + " bytes are underway to "
                + (hasSlices() ? rooms.isHomeless(room) ? "keys without a home" : "the home of its key"
                        : "workers")
                + ", and " + cluster.options.sendBuffer()
                + " may be; send less, or set ClusterOptions.sendBuffer";
    }

    @Override
    String whatIsUncertain() {
        return "nobody knows whether it was handled; ask again if it may be handled twice, or let its class implement Repeatable";
    }

    @Override
    @Nullable Object value(AnswerBody answer) {
        return switch (answer) {
            case AnswerBody.Value value -> codec.value(value);
            case AnswerBody.Nothing nothing -> null;
            default -> throw new IllegalStateException(answer + " is no answer of a group");
        };
    }

    private boolean hasSlices() {
        return slices.slices() > 0;
    }
}
