package io.fibry.internal.receive;

import io.fibry.ActorExitException;
import io.fibry.internal.actor.Answer;
import io.fibry.internal.actor.AskNode;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.ExtendedState;
import io.fibry.internal.actor.FateAnswer;
import io.fibry.internal.actor.Front;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.Signal;
import io.fibry.internal.actor.StopNode;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.actor.Turn.NoMessage;
import io.fibry.internal.clock.Alarm;
import io.fibry.internal.context.Carried;
import io.fibry.internal.context.SendSite;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.StackReserve;
import io.fibry.internal.reply.OpenReply;
import io.fibry.internal.reply.ReplyHandle;
import io.fibry.internal.reply.RequestAnswer;
import io.fibry.internal.report.ContentClass;
import io.fibry.internal.report.Fates;
import io.fibry.internal.run.Backoff;
import io.fibry.internal.run.Parking;
import io.fibry.internal.signal.Receivable;
import io.fibry.message.DeferredReply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The selective receive of one actor. The turn alone accesses it, except for {@link ExtendedState.Handover}.
 *
 * <p>To wait for messages the turn first publishes a {@code Handover}, then makes the mailbox idle. A sender
 * that finds the mailbox idle reads the handover before it would start a turn, and gives its node to it. The
 * sender's read comes after its CAS on the mailbox, which comes after the turn's CAS, so the sender sees the
 * handover. To stop waiting the turn takes the mailbox back. If that fails, a sender has found the mailbox
 * idle, and its node is about to arrive.
 */
public final class Inbox {
    public static final Predicate<Object> ANY = Inbox::any;

    private final Cell cell;
    private final Front front;
    /** Whether the actor has a type of answers, so that each ask which it receives needs a reply. */
    private boolean needsReplies;
    /** The messages that were received and are not over, oldest first: one, or those that are handled together. */
    private final Deque<Taken> taken = new ArrayDeque<>();
    /** Whether the handler that runs, or the body, has received a message. */
    private boolean hasTaken;

    public Inbox(Cell cell) {
        this.cell = cell;
        this.front = Front.inside(Objects.requireNonNull(cell.turn()));
    }

    private static boolean any(Object message) {
        return true;
    }

    public Optional<Object> receive(Turn turn, Predicate<Object> wanted, long nanos)
            throws InterruptedException {
        StackReserve.require(); // before the mailbox is made idle
        settle(turn, Optional.empty());
        var next = takePassedOver(turn, wanted);
        if (next == null) {
            try (var alarm = new Alarm(cell.spec.scope.time(), nanos)) {
                next = takeNew(turn, wanted, alarm);
            }
        }
        if (next != null) {
            next.undo = Carried.restore(next.carried);
            return Optional.of(next.message);
        }
        if (isToStop(turn)) {
            throw new ActorExitException("actor '" + cell.name() + "' is to stop, or to be restarted");
        }
        return Optional.empty();
    }

    /**
     * Receives messages that are over when those are which were received before. There are fewer than {@code most} if the
     * time is over, or the actor is to stop.
     */
    public List<Object> receiveMore(Turn turn, int most, long nanos) throws InterruptedException {
        StackReserve.require();
        var messages = new ArrayList<Object>();
        try (var alarm = new Alarm(cell.spec.scope.time(), nanos)) {
            while (messages.size() < most) {
                var passed = takePassedOver(turn, ANY);
                var next = passed != null ? passed : takeNew(turn, ANY, alarm);
                if (next == null) {
                    break;
                }
                messages.add(next.message);
            }
        }
        return messages;
    }

    private boolean isToStop(Turn turn) {
        return cell.exitRequested() || front.isAtPill() || turn.isRestarting();
    }

    /** Takes the oldest message that was passed over and is wanted now; returns null if there is none. */
    private @Nullable Taken takePassedOver(Turn turn, Predicate<Object> wanted) {
        var passed = front.passedOver();
        for (int i = 0; i < passed.size(); i++) {
            var entry = passed.get(i);
            var node = entry instanceof Node some ? some : null;
            if (node != null && isOver(node)) {
                passed.remove(i--);
                front.count(0);
                run(turn, node);
                continue;
            }
            var message = node == null ? entry : messageIn(node).orElse(null);
            if (message != null && wanted.test(message) && (node == null || claim(node))) {
                passed.remove(i);
                front.count(0);
                return take(MessageNode.of(entry), message);
            }
        }
        return null;
    }

    /** Returns whether a node that was passed over cannot be received any more. Then it is handled wherever it fits. */
    private boolean isOver(Node node) {
        return node instanceof MessageNode message ? message.isOver() || message.isLate(cell)
                : node instanceof Receivable mine && mine.received().isEmpty() && mine.fits();
    }

    /** Takes the next message that is wanted; returns null if the time is over, or the actor is to stop. */
    private @Nullable Taken takeNew(Turn turn, Predicate<Object> wanted, Alarm alarm)
            throws InterruptedException {
        while (true) {
            if (isToStop(turn)) {
                return null;
            }
            if (Thread.interrupted()) {
                throw new InterruptedException("actor '" + cell.name() + "' was interrupted");
            }
            // A node that is being tested still waits until it is wanted: no other node may take its place.
            cell.passedOver(front.size(), true);
            var at = cell.poll(turn.last);
            if (at == null) {
                front.count(0);
                at = awaitNode(turn, alarm);
                if (at == null) {
                    if (alarm.hasRung()) {
                        return null;
                    }
                    continue;
                }
            }
            front.count(1);
            turn.took(at);
            var node = at.entryAsNode();
            var message = messageIn(node);
            if (message.isPresent() && isWanted(node, message.get(), wanted) && claim(node)) {
                front.count(0);
                return take(node, message.get());
            }
            if (message.isPresent() || node instanceof StopNode) {
                passOver(node);
            }
            front.count(0);
            if (message.isEmpty() && !(node instanceof StopNode)) {
                run(turn, node);
            }
        }
    }

    /**
     * Handles a node that cannot be received: code that runs here, or a node that is over. If the thread has
     * bindings that the sender of the code did not have, the code waits for the end of the handler; if the
     * handler is a body, the code fails, since a body has no such end.
     */
    private void run(Turn turn, Node node) {
        var message = node instanceof MessageNode mine ? mine : null;
        var code = message == null ? null : message.code();
        if (node.fits() || isOver(node)) {
            if (message == null) {
                ((Signal) node).run(turn);
            } else {
                message.handle(turn, message.packed());
            }
        } else if (message != null && code != null && cell.behavior().isBody()) {
            code.failInBody(turn, message);
        } else {
            front.passedOver().add(node);
            front.count(0);
            return;
        }
        node.clear();
    }

    /**
     * Tests the user's predicate. If the predicate throws, the message goes where it would go if the
     * predicate returned false.
     */
    private boolean isWanted(Node node, Object message, Predicate<Object> wanted) {
        var asked = false;
        try {
            var answer = wanted.test(message);
            asked = true;
            return answer;
        } finally {
            if (!asked) {
                passOver(node);
                front.count(0);
            }
        }
    }

    /** Returns whether a node that is wanted can be received: a tick may be cancelled, or the time of an ask over, by now. */
    private static boolean claim(Node node) {
        return node instanceof AskNode ask ? !ask.isOverByNow()
                : !(node instanceof Receivable mine) || mine.claim();
    }

    private void passOver(Node node) {
        front.passedOver().add(node instanceof MessageNode told && told.isBare()
                ? Objects.requireNonNull(told.content()) : node);
    }

    /** Returns what can be received of a node: nothing if the node is code, a poison pill, or over. */
    private Optional<Object> messageIn(Node node) {
        if (node instanceof MessageNode message) {
            return message.isOver() || message.isLate(cell) || message.code() != null ? Optional.empty()
                    : Optional.ofNullable(message.content());
        }
        return node instanceof Receivable mine ? mine.received() : Optional.empty();
    }

    /** A message that was received and is not over. */
    private static final class Taken {
        final Object message;
        /** The context of its sender. */
        final @Nullable Carried carried;
        /** Where it was sent from, if that was remembered. */
        final @Nullable SendSite sentFrom;
        /** If it was asked, the answer. */
        @Nullable Answer<@Nullable Object> ask;
        /** If it was asked, and its reply was deferred, that reply. */
        @Nullable ReplyHandle<?> deferred;
        /** If its fate is followed, the future of the fate. */
        @Nullable FateAnswer fate;
        /** What it wants to run when it is over. */
        Runnable afterwards = Receivable.NOTHING;
        /** Removes its context from the thread. */
        Runnable undo = Receivable.NOTHING;

        Taken(Node node, Object message) {
            this.message = message;
            carried = node.carried();
            sentFrom = node.sentFrom();
        }
    }

    private Taken take(Node node, Object message) {
        var mine = new Taken(node, message);
        if (node instanceof AskNode ask) {
            mine.ask = ask.answer();
            if (mine.ask != null) {
                mine.ask.start(cell); // an ask that is cancelled at this very moment is still received: the handler has seen it
            }
        } else if (node instanceof MessageNode told) {
            mine.fate = told.fate();
        } else if (node instanceof Receivable tick) {
            tick.take();
            mine.afterwards = tick.afterwards();
        }
        node.clear();
        // mutant: received-message-is-never-over
        taken.add(mine);
        hasTaken = true;
        return mine;
    }

    /** Notes that the handler, or the body, has ended. Called with what it has thrown. */
    public void end(Turn turn, Optional<Throwable> failure) {
        hasTaken = false;
        settle(turn, failure);
    }

    /** Counts and answers the messages that were received. Called when the handler has moved on from them. */
    private void settle(Turn turn, Optional<Throwable> failure) {
        for (var mine = taken.poll(); mine != null; mine = taken.poll()) {
            try {
                close(turn, mine, failure);
            } finally {
                mine.undo.run();
                mine.afterwards.run();
            }
        }
    }

    private void close(Turn turn, Taken mine, Optional<Throwable> thrown) {
        var ask = mine.ask;
        var reply = mine.deferred;
        var followed = mine.fate;
        var failure = thrown;
        if (thrown.isEmpty() && ask != null && reply == null && needsReply(ask)) {
            var unanswered = unanswered(mine.message, ask);
            cell.reportFailure(mine.message, unanswered, mine.sentFrom);
            failure = Optional.of(unanswered);
        }
        if (failure.isPresent()) {
            if (ask != null) {
                ask.end(cell);
            }
            if (ask != null && turn.isCancelled(ask, failure.get())) {
                turn.expired(); // the canceller wanted this
            } else {
                cell.count(Fates.Kind.FAILED);
                cell.extendedState().finishedOtherwise(turn);
            }
            if (ask != null) {
                ask.failWith(failure.get());
            }
            if (reply != null) {
                reply.open().close();
            }
            if (followed != null) {
                followed.failed(failure.get());
            }
        } else if (ask != null && reply != null) {
            ask.end(cell);
            turn.handled();
            reply.open().release();
        } else if (ask != null) {
            turn.answered(ask, null);
        } else {
            turn.handled();
        }
        if (followed != null && failure.isEmpty()) {
            followed.handled();
        }
    }

    private boolean needsReply(Answer<?> ask) {
        return (needsReplies || ask.isOfRequest()) && !ask.isOver();
    }

    private IllegalStateException unanswered(Object message, Answer<?> ask) {
        return !needsReplies ? RequestAnswer.cannotReply(cell)
                : withoutReply(cell, message, ask.isOfRequest());
    }

    // ---- Replies. ----

    /** Notes that the actor has a type of answers. */
    public void needReplies() {
        needsReplies = true;
    }

    /** Answers the message that was taken last; returns whether its asker gets this answer. */
    public boolean reply(Turn turn, @Nullable Object value) {
        if (!taken.isEmpty()) {
            var mine = taken.getLast();
            return mine.deferred != null ? mine.deferred.open().complete(value)
                    : mine.ask != null && reply(mine.ask, mine.message, value);
        }
        if (NoMessage.isHandled(turn)) {
            throw inCode(cell);
        }
        requireMessage("reply");
        if (turn.asked instanceof ReplyHandle<?> reply) {
            return reply.open().complete(value);
        }
        @SuppressWarnings("unchecked") // the engine handles answers of any type alike
        var own = (Answer<@Nullable Object>) turn.asked;
        var message = own == null ? null : own.message();
        return own != null && message != null && reply(own, message, value);
    }

    private boolean reply(Answer<@Nullable Object> ask, Object message, @Nullable Object value) {
        if (ask.isOver()) {
            return false;
        }
        var result =
                ask.isOfRequest() ? RequestAnswer.valueOf(cell, message, value, RequestAnswer.TAKEN) : value;
        ask.giveBackPlaces();
        return ask.succeed(result);
    }

    /** Defers the reply to the message that was taken last. */
    @SuppressWarnings("unchecked") // the engine handles answers of any type alike
    public <R extends @Nullable Object> DeferredReply<R> deferReply() {
        if (taken.isEmpty()) {
            requireMessage("deferReply");
            return OpenReply.defer(cell);
        }
        var mine = taken.getLast();
        if (mine.ask == null) {
            return OpenReply.told(cell);
        }
        if (mine.deferred == null) {
            mine.deferred = OpenReply.<R>of(cell, mine.ask, mine.message);
        }
        return (ReplyHandle<R>) mine.deferred;
    }

    /** Throws if the message that the handler was called with is not the one to which it replies now. */
    private void requireMessage(String method) {
        if (hasTaken) {
            throw tooLate(cell, method);
        }
        if (cell.behavior().isBody()) {
            throw new IllegalStateException("the body of actor '" + cell.name()
                    + "' has taken no message to which it could reply; call receive first");
        }
    }

    /** Waits for a node. Returns null if there may be one, or the time is over, or the thread was interrupted. */
    private @Nullable Node awaitNode(Turn turn, Alarm alarm) {
        var extended = cell.extendedState();
        var handover = new ExtendedState.Handover();
        var mark = cell.newMark(); // before a sender could give its node to this wait
        extended.handover = handover;
        turn.flush();
        assert Interleave.here();
        // mutant: message-is-handed-over-after-going-idle
        if (!cell.becomeIdle(turn.last)) {
            extended.handover = null;
            cell.awaitLink(turn.last);
            return null;
        }
        while (handover.node == null && !alarm.hasRung() && !Thread.currentThread().isInterrupted()) {
            Parking.park(this);
        }
        if (handover.node == null) {
            // mutant: receive-gives-up-without-the-mailbox
            var taken = cell.reclaim(turn.last, mark);
            if (taken != null) {
                extended.handover = null;
                turn.took(taken);
                return null;
            }
            var backoff = new Backoff();
            while (handover.node == null) {
                backoff.pause(); // a sender found the mailbox idle and is about to give its node
            }
        }
        extended.handover = null;
        var given = handover.node;
        return given == null ? null : cell.handedOver(given);
    }

    private static IllegalStateException withoutReply(Cell cell, Object message, boolean isRequest) {
        return new IllegalStateException(whom(cell) + " was asked a "
                + (isRequest ? "request of " : "message of ") + ContentClass.nameOf(message)
                + " and took it by receive, but did not reply before it called receive again or its code ended;"
                + " call reply(…) of its ReceivingReplyContext after the receive, or deferReply()");
    }

    private static IllegalStateException tooLate(Cell cell, String method) {
        return new IllegalStateException(whom(cell) + " has called " + method
                + " when the message that it took last was over: a message is over as soon as receive is called again,"
                + " even if that returns nothing; reply, or call deferReply(), before that");
    }

    private static IllegalStateException inCode(Cell cell) {
        return new IllegalStateException("code that was given to actor '" + cell.name()
                + "' has called reply, and there is no message to which it could reply; call reply in the handler");
    }

    private static String whom(Cell cell) {
        return "actor '" + cell.name() + "' of scope '" + cell.spec.scope.name() + "'";
    }
}
