package io.fibry.internal.reply;

import io.fibry.ActorException;
import io.fibry.internal.actor.Answer;
import io.fibry.internal.actor.AskFailures;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Deferral;
import io.fibry.internal.actor.Deferral.RemoteQuestion;
import io.fibry.internal.actor.Turn.NoMessage;
import io.fibry.internal.memory.Interleave;
import io.fibry.message.DeferredReply;
import java.lang.ref.PhantomReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A reply that an actor has deferred, as the engine sees it. It is also the phantom reference to the {@link
 * ReplyHandle} of the user, by which {@link LostReplies} learns that the handle is lost.
 *
 * <p>The answer alone decides which completion is the first. A reply is listed in two places, its actor's {@link OpenReplies}
 * and {@link LostReplies}, and {@link #close} removes it from both when the answer is over. The handler lists the
 * reply, puts it into the answer and then looks whether the answer is over. A thread that ends the wait (it cancels, or
 * the time is over) first completes the answer and then looks what is in it. One of the two sees the other, so no reply
 * stays listed.
 *
 * <p>Until the handler has returned, the wait of the asker counts as a wait for the actor. From then on it depends on a thread
 * that the engine does not know, so it is no edge of the {@code WaitGraph} any more.
 */
public final class OpenReply extends PhantomReference<ReplyHandle<?>> implements Deferral {
    private final Cell cell;
    private final Answer<@Nullable Object> answer;
    /** The message, if it is a request, to which the reply has to fit. */
    private final @Nullable Object request;
    /** Whether the handler has returned. Written by the turn. */
    private volatile boolean released;
    /** What the reply depends on outside of this process; see {@code RemoteWait}. Written by the turn before the release. */
    private volatile @Nullable RemoteQuestion question;
    /** The next one of the replies that are lost and that no fiber has failed yet. Accessed by {@link LostReplies}. */
    @Nullable OpenReply nextLost;

    private OpenReply(ReplyHandle<?> handle, Cell cell, Answer<@Nullable Object> answer,
            @Nullable Object request) {
        super(handle, LostReplies.QUEUE);
        this.cell = cell;
        this.answer = answer;
        this.request = request;
    }

    /** Makes the reply of a handle. */
    record Maker(Cell cell, Answer<@Nullable Object> answer, @Nullable Object request) {
        OpenReply make(ReplyHandle<?> handle) {
            return new OpenReply(handle, cell, answer, request);
        }
    }

    /** Returns a handle for a message that no thread waits for. */
    public static <R extends @Nullable Object> ReplyHandle<R> told(Cell cell) {
        return new ReplyHandle<>(new Maker(cell, new Answer<>(cell), null));
    }

    /** Returns a handle for an ask that a handler works on. Called by the turn. */
    public static <R extends @Nullable Object> ReplyHandle<R> of(Cell cell, Answer<@Nullable Object> answer,
            @Nullable Object message) {
        var handle = new ReplyHandle<R>(
                new Maker(cell, answer, answer.isOfRequest() ? message : null));
        var mine = handle.open();
        var deferred = false;
        try {
            OpenReplies.of(cell).add(mine);
            LostReplies.watch(mine);
            answer.defer(mine);
            deferred = true;
        } finally {
            if (!deferred) {
                mine.close();
            }
        }
        assert Interleave.here();
        // mutant: cancelled-ask-keeps-its-deferred-reply
        if (answer.isOver()) {
            mine.close();
        }
        return handle;
    }

    /** Defers the reply to the message that the turn of the actor handles. */
    @SuppressWarnings("unchecked") // the engine handles answers of any type alike
    public static <R extends @Nullable Object> DeferredReply<R> defer(Cell cell) {
        var turn = cell.turn(); // a stand-in's turn only represents this one
        if (turn == null || cell.isStopping() || NoMessage.isHandled(turn)) {
            throw new IllegalStateException("actor '" + cell.name()
                    + "' handles no message here, whose reply could be deferred; call deferReply in its handler, not in"
                    + " hooks, factories, or code given to the actor");
        }
        var asked = turn.asked;
        if (asked == null) {
            return told(cell);
        }
        if (asked instanceof ReplyHandle<?> before) {
            return (ReplyHandle<R>) before;
        }
        var answer = (Answer<@Nullable Object>) asked;
        var reply = OpenReply.<R>of(cell, answer, answer.message());
        turn.asked = reply;
        return reply;
    }

    @Override
    public Cell cell() {
        return cell;
    }

    @Override
    public boolean isReleased() {
        return released;
    }

    @Override
    public void release() {
        // mutant: deferred-reply-stays-an-edge
        released = true;
    }

    public void question(RemoteQuestion asked) {
        question = asked;
        if (answer.isOver()) { // it may have been closed before
            dropQuestion();
        }
    }

    /** Drops the question, since the answer is over, unless the failure of the answer is still to name it. */
    private void dropQuestion() {
        if (!answer.isLate()) {
            question = null;
        }
    }

    public void forgetQuestion() {
        question = null;
    }

    @Override
    public @Nullable RemoteQuestion question() {
        return question;
    }

    boolean isOver() {
        return answer.isOver();
    }

    public boolean complete(@Nullable Object value) {
        var result = request == null || answer.isOver() ? value
                : RequestAnswer.valueOf(cell, request, value, RequestAnswer.DEFERRED);
        var first = answer.succeed(result);
        close();
        return first;
    }

    boolean failWith(Throwable cause) {
        var first = answer.failWith(AskFailures.thrown(cell, answer, cause));
        close();
        return first;
    }

    void whenOver(BiConsumer<Object, Throwable> action) {
        var unused = answer.whenComplete(action);
    }

    /** Fails the ask of a reply that no thread can complete any more, or is to complete any more. */
    void lose(ActorException why) {
        answer.failWith(AskFailures.thrown(cell, answer, why));
        close();
    }

    /** Removes this reply from the lists. */
    @Override
    public void close() {
        clear();
        dropQuestion();
        LostReplies.forget(this);
        var extended = cell.extendedState();
        var replies = extended.feature(OpenReplies.class);
        if (replies != null && replies.has(this)) {
            extended.beforeReply();
            // mutant: completed-reply-stays-listed
            replies.remove(this);
        }
    }

    @Override
    public String toString() {
        return "DeferredReply[" + cell.name() + ", " + (isOver() ? "done" : "open") + "]";
    }
}
