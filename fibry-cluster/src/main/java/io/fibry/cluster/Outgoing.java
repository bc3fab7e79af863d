package io.fibry.cluster;

import io.fibry.cluster.home.Letter;
import io.fibry.internal.actor.Deferral.RemoteQuestion;
import io.fibry.internal.clock.Durations;
import io.fibry.message.DeferredReply;
import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way to another node, or to this one, as its sender knows it.
 *
 * <p>The sender's thread fills it in and gives it to the actor of the member, which alone uses what is not final.
 *
 * <pre>
 *   way:  GIVEN -> SENT   the actor of the member, before it sends the message
 *         GIVEN -> OVER   a thread that has ended the ask, or has found that the actor of the member has ended
 *         SENT  -> OVER   the actor of the member: the message is in the mailbox of a home, or will never be
 *   needs:  SENDER           -> none     its sender has its answer or fate, or does not wait for it any more
 *           SENDER           -> both     the actor of the member, before it sends the message
 *           SENDER or MEMBER -> one less the sender as above; the actor of the member: it has a verdict, or its node was lost, so its bytes are kept no more
 * </pre>
 */
final class Outgoing implements RemoteQuestion {
    private static final int SENDER = 1;
    private static final int MEMBER = 2;

    final LetterSender sender;
    final Object message;
    final LetterBody body;
    /** The slice of its key; {@link Letter#NO_SLICE} if there is none. */
    final int slice;
    /** The time limit; empty if there is none. */
    final Optional<Duration> limit;
    /** When its time is over, by the clock of its sender's node; {@link Letter#NO_DEADLINE} if it has none. */
    final long deadline;
    /** The node to which it goes, if its sender has chosen one. Written before the actor of the member gets it. */
    @Nullable UUID to;
    /** Who still needs its room. The thread that takes the last need away gives the room back. */
    private final AtomicInteger needs = new AtomicInteger(SENDER);
    /** Where its bytes count; null when they count no more. Any thread gives them back, the actor of the member moves them. */
    private final AtomicReference<@Nullable Room> room = new AtomicReference<>();
    /** The fate, if it is wanted. */
    final CompletableFuture<MessageFate> fate = new CompletableFuture<>();
    @Nullable Letter letter;
    @Nullable DeferredReply<@Nullable Object> reply;
    /** Whether the sender has been told the fate or the answer. */
    boolean isOver;
    /** Whether a home has taken it, and it may have to be repeated. */
    boolean mayBeRepeated;
    /** Written by CAS, by the member's actor and threads that complete answers: one thread counts the message down. */
    private final AtomicReference<Way> way = new AtomicReference<>(Way.GIVEN);
    /** Where it is; null if it has gone to no node. Written by the actor of the member, read for texts of time-outs. */
    private volatile @Nullable Stand stand;

    private enum Way {
        GIVEN, SENT, OVER
    }

    private record Stand(ClusterNode node, boolean isTaken) {
    }

    Outgoing(LetterSender sender, Object message, LetterBody body, int slice,
            Optional<Duration> limit) {
        this.sender = sender;
        this.message = message;
        this.body = body;
        this.slice = slice;
        this.limit = limit;
        deadline = limit.map(left -> sender.cluster.nanoTime() + Durations.boundedNanos(left, "limit"))
                .orElse(Letter.NO_DEADLINE);
    }

    /** How much room it takes. */
    int size() {
        return body.size() + 128;
    }

    /** The number of the ask; 0 if it has none yet. */
    long number() {
        return letter == null ? 0 : letter.askNumber();
    }

    /** Takes room, if there is some. Called by the sender. */
    boolean take(Room place, long most) {
        var fits = place.take(size(), most);
        if (fits) {
            room.set(place);
        }
        return fits;
    }

    /** Begins to send the message; returns false if its sender does not wait for it any more, so that it must not be sent. */
    boolean begin() {
        keep(); // before the way: a sender that finds it sent leaves the room to this node
        var begins = way.compareAndSet(Way.GIVEN, Way.SENT);
        if (!begins) {
            forget();
        }
        return begins;
    }

    /** Takes the message back; returns false if it was sent before. */
    boolean takeBack() {
        return way.compareAndSet(Way.GIVEN, Way.OVER);
    }

    /** Notes that the message has come, or never will; returns false if that is known. */
    boolean arrive() {
        return way.getAndSet(Way.OVER) != Way.OVER;
    }

    /** Moves its bytes to another room, unless they count no more. */
    void moveTo(Room next) {
        var place = room.get();
        if (place != null && place != next) {
            next.add(size());
            (room.compareAndSet(place, next) ? place : next).giveBack(size());
        }
    }

    /** Its bytes are kept until a node has taken or refused it, or was lost, also if its sender does not wait so long. */
    void keep() {
        needs.getAndUpdate(before -> before | MEMBER);
    }

    /** Its bytes are kept no more. */
    void forget() {
        needNoMore(MEMBER);
    }

    /** Its sender needs no room for it any more. It is given back when its bytes are not kept either. */
    void giveRoomBack() {
        needNoMore(SENDER);
    }

    private void needNoMore(int who) {
        if (needs.updateAndGet(before -> before & ~who) == 0) {
            var place = room.getAndSet(null);
            if (place != null) {
                place.giveBack(size());
            }
        }
    }

    void complete(@Nullable Object value) {
        if (reply != null) {
            var unused = reply.complete(value);
        }
    }

    /** Fails an ask; returns false if it has ended before. */
    boolean fail(Throwable failure) {
        return reply != null && reply.fail(failure);
    }

    // ---- How far it has come, for the text of a time-out. ----

    void noteSent(ClusterNode to) {
        stand = new Stand(to, false);
    }

    void noteTaken(ClusterNode by) {
        stand = new Stand(by, true);
    }

    @Override
    public String asked() {
        return sender.title();
    }

    /** Returns the node to which an ask has gone last, for people. */
    String at() {
        var last = stand;
        return last == null ? "a node" : "node '" + last.node.name() + "'";
    }

    @Override
    public String progress() {
        var last = stand;
        if (last == null) {
            return "it waits on this node, which knows no node that can take it now";
        }
        var node = at();
        return last.isTaken ? node + " has taken it, and has not answered"
                : "it was sent to " + node + ", which has not told that it has taken it";
    }

    boolean isAsk() {
        return switch (body.want()) {
            case ANSWER, REPLY, IDENTIFIED -> true;
            case TELL, FATE -> false;
        };
    }
}
