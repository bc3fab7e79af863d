package io.fibry.internal.actor;

import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.context.Carried;
import io.fibry.internal.limit.Permit;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message, or code, with an answer. A thread that ends the wait for the answer, by cancelling it or because its time is
 * over, drops what the node holds at once: only the empty node stays in the mailbox. What a node holds may
 * therefore be gone at any moment. Each reader reads it once, and treats null as "the ask is over", which is
 * true, since the answer was completed before.
 */
public final class AskNode extends MessageNode {
    static final VarHandle ANSWER = FieldAccess.of(MethodHandles.lookup(), "answer", Answer.class);
    /**
     * What is left in a slot of a chunk when an ask is over before its turn. It is shared by all mailboxes, so what is
     * over and still waits to be counted takes no more memory than its slot.
     */
    static final AskNode OVER = new AskNode();

    private final @Nullable Cell cell;
    /** Written by the sender before the link; cleared by the consumer (release) or by a thread that ends the wait. */
    private @Nullable Answer<@Nullable Object> answer;

    private AskNode() {
        super("over");
        cell = null;
        super.clear();
    }

    /** Makes a node for the actor that the answer waits for. */
    private AskNode(Object packed, Answer<@Nullable Object> answer) {
        this(packed, answer, answer.target());
    }

    private AskNode(Object packed, @Nullable Answer<@Nullable Object> answer, Cell cell) {
        super(packed);
        this.answer = answer;
        this.cell = cell;
    }

    /** Returns an ask of an actor, or {@link Code} for it, by the calling thread. */
    public static AskNode to(ActorSpec actor, Object content, Answer<@Nullable Object> answer) {
        var node = new AskNode(Parcel.of(actor.capture(), content), answer);
        answer.attachTo(node);
        return node;
    }

    /** Returns an ask, or {@link Code}, that another actor passes on. Any thread may end the wait for the answer meanwhile. */
    public static AskNode passedOn(@Nullable Carried carried, Object content,
            Answer<@Nullable Object> answer) {
        var node = new AskNode(Parcel.of(carried, content), answer);
        node.takeOver();
        return node;
    }

    // ---- Called by the turn. ----

    @Override
    public void handle(Turn turn, @Nullable Object part) {
        if (part instanceof Wrapped wrapped) {
            wrapped.handle(turn, this);
            return;
        }
        var mine = answer;
        if (mine == null || part == null || mine.isOver()) {
            // mutant: ask-that-has-left-its-slot-is-not-counted
            turn.expired();
            return;
        }
        if (turn.behavior instanceof ForwardingBehavior workers) {
            forward(turn, workers, part, mine);
            return;
        }
        if (!mine.start(turn.cell)) {
            turn.expired();
            return;
        }
        var around = turn.asked;
        turn.asked = mine;
        Object result;
        try {
            result = turn.behavior.handle(turn, part);
            if (turn.asked != mine) {
                deferred(turn, mine, around);
                return;
            }
            if (result instanceof Feature keeper) {
                turn.asked = around;
                putAside(turn, keeper, part, mine);
                return;
            }
            if (mine.isOfRequest() && !mine.isOver()) {
                result = mine.resultOf(turn.cell, part, result);
            }
        } catch (Throwable failure) {
            var reply = turn.asked;
            turn.asked = around;
            giveBackPlaces();
            try {
                turn.askFailed(mine, part, WrongType.named(turn.cell, part.getClass(), failure));
            } finally {
                closeReply(reply);
            }
            return;
        }
        turn.asked = around;
        giveBackPlaces(); // before the answer, since the thread that gets it may ask again at once
        turn.answered(mine, result);
    }

    /** Puts the message aside: the handler has returned and has not finished it. */
    private void putAside(Turn turn, Feature keeper, Object content, Answer<@Nullable Object> mine) {
        mine.setAside(turn.cell);
        var moved = moved(content);
        keeper.keep(turn, moved);
        moved.takeOver();
    }

    /** Ends the handling of an ask whose reply comes later: the message is handled, and its places are free. */
    private static void deferred(Turn turn, Answer<@Nullable Object> mine, @Nullable Object around) {
        var reply = (Deferral.Handle) Objects.requireNonNull(turn.asked);
        turn.asked = around;
        mine.end(turn.cell);
        turn.handled();
        reply.open().release();
    }

    private static void closeReply(@Nullable Object asked) {
        if (asked instanceof Deferral.Handle reply) {
            reply.open().close();
        }
    }

    private static void forward(Turn turn, ForwardingBehavior workers, Object content,
            Answer<@Nullable Object> mine) {
        try {
            workers.forward(turn, content, mine);
        } catch (Throwable failure) {
            turn.askFailed(mine, content, failure);
            return;
        }
        turn.handled();
    }

    @Override
    MessageNode fresh(Object all) {
        return new AskNode(all, answer, cell());
    }

    /**
     * As {@link Answer#attachTo}, for a node that replaces another one which may be taken back at this moment. The
     * thread that takes it back sees this node, or its completion of the answer is seen here. That thread may still
     * empty the other node. If both nodes hold one parcel, this does no harm: the ask is over.
     */
    @Override
    void takeOver() {
        var mine = answer;
        if (mine != null) {
            mine.moveTo(this);
            assert Interleave.here();
        }
        if (mine == null || mine.isOver()) {
            clear();
        }
    }

    @Override
    public @Nullable MessageNode forHeir(Cell heir) {
        var mine = answer;
        var all = packed();
        var code = code();
        if (mine == null || all == null || mine.isOver() || (code != null && code.isHeldFor())) {
            return null;
        }
        mine.forwardTo(heir);
        var node = new AskNode(all, mine);
        passTo(heir, all);
        node.takeOver();
        return node;
    }

    // ---- Called by the sender. ----

    /**
     * Takes these places along. A timer may take the ask back at the same time. It completes the answer first; here the
     * parcel comes first. So that thread sees the parcel, or its completion is seen here. It may also have emptied the
     * node before the parcel was put in, or after. So the places are given back here if the ask is over.
     */
    @Override
    public void hold(Permit places) {
        var all = packed();
        if (all == null) {
            places.giveBack();
            return;
        }
        var parcel = holding(all, places);
        VarHandle.fullFence();
        if (isOver()) {
            clear();
            parcel.release();
        }
    }

    /**
     * Lets the thread that waits for the answer run the turn, if that is wanted; returns true if the turn is
     * left to it. The node may have been dropped from a bounded mailbox in the meantime: then no thread waits
     * to run the turn. Code runs on a turn of the actor.
     */
    boolean leaveToWaiter(Turn turn) {
        var mine = answer;
        return mine != null && mine.share(turn, code() != null);
    }

    // ---- Called by any thread. ----

    /** Returns the actor that the node was sent to. */
    public Cell cell() {
        return Objects.requireNonNull(cell);
    }

    /** Returns the answer; null if the ask is over. */
    public @Nullable Answer<@Nullable Object> answer() {
        return answer;
    }

    /** Drops what this node holds. The answer was completed, and not by the handler. */
    void takeBack() {
        clear();
        if (nextAcquire() instanceof ChunkIndex chunk) {
            chunk.replace(this);
        }
        cell().tookBack();
    }

    @Override
    void lost(Cell mailbox, Object content, Cause cause, @Nullable Throwable why) {
        giveBackPlaces();
        var mine = answer;
        if (mine != null) {
            // mutant: ask-of-a-stopped-actor-is-not-answered
            mine.lose(mailbox,
                    AskFailures.lost(mailbox, this, Losses.exception(mailbox, content, cause, why)));
        }
    }

    @Override
    public void clear() {
        answer = null;
        super.clear();
    }

    @Override
    public boolean isOver() {
        var mine = (Answer<?>) ANSWER.getAcquire(this);
        return mine == null || mine.isOver();
    }

    /** As {@link #isOver}, even if no timer has noticed that the time is over. Called by the turn. */
    public boolean isOverByNow() {
        var mine = answer;
        return mine == null || mine.isOverByNow();
    }
}
