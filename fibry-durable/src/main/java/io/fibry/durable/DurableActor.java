package io.fibry.durable;

import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.Stereotypes;
import io.fibry.durable.Journal.Handled;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Loaded;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Snapshot;
import io.fibry.durable.Journal.Turn;
import io.fibry.function.ContextReplyHandler;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The handler of one durable actor. While its state is {@linkplain #current current}, it is that of the store, or
 * what the store will have when the {@linkplain #sequence turns under way} are written. If a commit was fenced, or
 * its outcome is not known, the state is read again before the next message.
 */
final class DurableActor<S, E, K, M, R extends @Nullable Object>
        implements
            ContextReplyHandler<Object, R> {
    private static final CompletableFuture<?> ANSWERED = CompletableFuture.completedFuture(true);
    /** The number of characters that the id of a message may have. */
    private static final int MOST_MESSAGE_ID = 2_048;

    private final DurableGroup<S, E, K, M, R> group;
    private final Id id;
    private final ActorScope scope;

    // What the store has, or will have when the turns under way are written.
    private boolean current;
    /** How often others had written to a key of the group when the state was read. */
    private int overtakings;
    private S before;
    private long revision;
    private int sinceSnapshot;
    private final HandledMessages handled = new HandledMessages();
    private Sequence sequence = new Sequence(0);
    /** The last turn, until its messages leave: it is not known yet that it is durable. */
    private @Nullable Turn untold;
    /** Completes when all answers have been given that were held for turns under way. Written by the actor's turns. */
    private CompletableFuture<?> answering = ANSWERED;

    /** Null between messages, since very many actors may be idle. */
    private @Nullable OpenTurn<S, E, K, M, R> turn;

    DurableActor(DurableGroup<S, E, K, M, R> group, Id id, ActorScope scope) {
        this.group = group;
        this.id = id;
        this.scope = scope;
        before = group.spec.first();
    }

    @Override
    public R handle(ActorContext<Object, R> self, Object incoming) throws Exception {
        if (incoming instanceof DurableGroup.Last) {
            self.withoutDeadline(() -> answering.handle((nothing, failed) -> true).get());
            return answer(Frames.NONE);
        }
        group.sharing();
        // mutant: state-is-kept-after-a-failure
        if (!current || overtakings != group.overtakings() || sequence.hasFailed()) {
            current = false; // until it is read, also if that fails
            overtakings = group.overtakings();
            awaitEnd(self);
            load(self);
        }
        var delivery = incoming instanceof DurableMessage sent ? sent : null;
        var message = group.messages.cast(delivery == null ? incoming : delivery.message());
        if (delivery != null && (delivery.fired().isPresent()
                ? isOld(self, delivery.fired().get())
                : isRepeated(self, delivery))) {
            return afterTurnsBefore(self, answer(Frames.NONE));
        }
        var ownId = ownId(message, delivery);
        var first = ownId.isEmpty() ? Optional.<Handled>empty() : first(self, ownId);
        if (first.isPresent() && delivery == null) {
            return afterTurnsBefore(self, answer(first.get().answer()));
        }
        var open = new OpenTurn<>(group, id, scope, this, self, before,
                ownId.isEmpty() && delivery != null ? delivery.id() : ownId,
                toKeep(first.isPresent() ? "" : ownId, delivery));
        turn = open;
        try {
            R answer = first.isPresent()
                    ? answer(first.get().answer())
                    : failingAfterTurnsBefore(self, () -> group.handler.handle(open, message));
            if (delivery != null) {
                delivery.fired().ifPresent(open::fired);
            }
            return end(self, answer);
        } finally {
            open.end();
            turn = null;
        }
    }

    private OpenTurn<S, E, K, M, R> open() {
        return Objects.requireNonNull(turn, "no handler runs");
    }

    /**
     * Returns the id that the program has given to a message; empty if it has given none. Each time of a repeated reminder is a
     * message of its own.
     */
    private String ownId(M message, @Nullable DurableMessage delivery) {
        if (!(message instanceof Identified named) || (delivery != null
                && delivery.fired().filter(reminder -> !reminder.every().isEmpty()).isPresent())) {
            return "";
        }
        var own = Objects.requireNonNull(named.messageId(), () -> "a message " + message.getClass().getName()
                + " has null as its id; an empty text is none");
        Id.text("id of a message", own, MOST_MESSAGE_ID);
        return own;
    }

    private boolean isRepeated(ActorContext<Object, R> self, DurableMessage sent) throws Exception {
        var message = HandledMessages.ofOutbox(sent.id());
        return handled.has(message) || (!handled.hasAll() && inStore(self, message).isPresent());
    }

    /** Returns what is kept of a message with an id of the program: it comes again. */
    private Optional<Handled> first(ActorContext<Object, R> self, String ownId) throws Exception {
        var message = HandledMessages.ofProgram(ownId);
        if (!handled.has(message) && handled.hasAll()) {
            return Optional.empty();
        }
        var underWay = sequence.underWay().stream().flatMap(turn -> turn.handled().stream())
                .filter(kept -> kept.id().equals(message)).reduce((before, last) -> last);
        var oldest = oldestId();
        return (underWay.isPresent() ? underWay : inStore(self, message))
                .filter(kept -> !kept.at().isBefore(oldest));
    }

    private Optional<Handled> inStore(ActorContext<Object, R> self, UUID message) throws Exception {
        return self.withoutDeadline(
                () -> group.spec.store().read(journal -> journal.handled(id, message)));
    }

    private Instant oldestId() {
        return scope.time().clock().instant().minus(group.spec.settings().ids);
    }

    /** Returns what the turn keeps of its message: its id of the program, and that of the outbox that has sent it. */
    private static List<Handled> toKeep(String ownId, @Nullable DurableMessage delivery) {
        var kept = new ArrayList<Handled>();
        // mutant: message-of-an-outbox-loses-its-own-id
        if (!ownId.isEmpty()) {
            kept.add(new Handled(HandledMessages.ofProgram(ownId), Instant.EPOCH, Optional.empty(),
                    Frames.NONE));
        }
        if (delivery != null && delivery.fired().isEmpty()) {
            kept.add(new Handled(HandledMessages.ofOutbox(delivery.id()), Instant.EPOCH,
                    Optional.of(delivery.sender()), Frames.NONE));
        }
        return kept;
    }

    /** Runs code that makes the turn. Its failure may follow from the turns before, so it leaves after they are durable. */
    private <T extends @Nullable Object> T failingAfterTurnsBefore(ActorContext<Object, R> self,
            Callable<T> code) throws Exception {
        try {
            T result = code.call();
            open().requireFlushed();
            return result;
        } catch (Exception e) {
            if (sequence.isUnderWay()) {
                try {
                    awaitTurns(self);
                } catch (RuntimeException notWritten) {
                    notWritten.addSuppressed(e);
                    throw notWritten;
                }
            }
            throw e;
        }
    }

    private R end(ActorContext<Object, R> self, R answer) throws Exception {
        var open = open();
        if (open.hasWork()) {
            var turn = failingAfterTurnsBefore(self, () -> turn(answer == null || !open.keepsAnswer()
                    ? Frames.NONE
                    : Frames.sealed(group.codec.encode(answer))));
            if (open.isPlain() && mayGoOn(self)) {
                submit(turn);
                return afterTurnsBefore(self, answer);
            }
            if (group.spec.store().isLone()) {
                return commitHere(self, turn, answer);
            }
            commit(self, turn);
            return answer;
        }
        if (group.spec.settings().confirmReads) {
            awaitTurns(self);
            current = false;
            long newest = self.withoutDeadline(() -> group.spec.store().revision(id));
            if (newest != revision) {
                throw fenced(revision);
            }
            current = true;
            return answer;
        }
        return afterTurnsBefore(self, answer);
    }

    /** Gives an answer when all that the state has come of is durable. The actor goes on meanwhile if it may. */
    private R afterTurnsBefore(ActorContext<Object, R> self, R answer) throws Exception {
        if (!sequence.isUnderWay()) {
            return answer;
        }
        if (!mayGoOn(self)) {
            awaitTurns(self);
            return answer;
        }
        var reply = self.deferReply();
        var answered = sequence.last().whenCompleteAsync((written, failed) -> {
            if (failed == null) {
                reply.complete(answer);
            } else {
                reply.fail(Sequence.failure(failed instanceof CompletionException && failed.getCause() != null
                        ? failed.getCause()
                        : failed));
            }
        }, this::answerApart);
        answering = answering.isDone() ? answered : CompletableFuture.allOf(answering, answered);
        return answer; // goes nowhere
    }

    /** Completes an answer on a fiber, so that what is chained to it holds up neither the store nor the actor. */
    private void answerApart(Runnable completion) {
        try {
            Stereotypes.with(scope.anonymous().strategy(CreationStrategy.fibers())).runOnce(completion::run);
        } catch (RuntimeException closing) {
            completion.run(); // the scope makes no more actors
        }
    }

    /** Tells whether the actor may handle the next message before this turn is durable: if there is one. */
    private boolean mayGoOn(ActorContext<Object, R> self) {
        return group.spec.settings().pipelined && self.self().mailboxSize() > 0 && !sequence.isFull();
    }

    /** Waits until the store writes no turn of this key, also none of an actor before: a read would miss such a turn. */
    private void awaitEnd(ActorContext<Object, R> self) throws Exception {
        self.withoutDeadline(() -> {
            sequence.last().handle((nothing, failed) -> true).get();
            // mutant: state-is-read-before-the-end-of-the-commit
            group.spec.store().awaitLateTurn(id);
            return true;
        });
    }

    private void awaitTurns(ActorContext<Object, R> self) throws Exception {
        self.withoutDeadline(() -> {
            sequence.await();
            return true;
        });
    }

    private FencedException fenced(long after) {
        return new FencedException("another writer has written to " + id.group() + " " + id.key()
                + " after revision " + after
                + "; nothing of this turn was written, and it may be sent again");
    }

    @SuppressWarnings("NullAway") // R may be null: a message may have had no answer
    private R answer(byte[] bytes) {
        return bytes.length == 0 ? null : group.codec.decode(Frames.unsealed(bytes), group.answers);
    }

    /**
     * Tells whether a reminder was handled, moved or forgotten after it was read, by this process or by another one
     * with the same store.
     */
    private boolean isOld(ActorContext<Object, R> self, Reminder fired) throws Exception {
        var now = self.withoutDeadline(
                () -> group.spec.store().read(journal -> journal.reminder(id, fired.name())));
        // If it was another process, the state is old as well, and is read again. A change after the look fences the turn.
        current = now.map(Reminder::at).equals(Optional.of(fired.at()));
        // mutant: reminder-comes-at-its-old-time
        return !current;
    }

    private void load(ActorContext<Object, R> self) throws Exception {
        var loaded = self.withoutDeadline(() -> group.spec.store().load(id));
        var newest = group.log.newest(id, loaded);
        // mutant: handled-messages-of-the-process-before-are-not-known
        handled.load(loaded.handled());
        resolve(self, loaded, newest.revision());
        before = newest.state();
        revision = newest.revision();
        sinceSnapshot = newest.sinceSnapshot();
        current = true;
    }

    /** Lets the messages of the last turn leave before those of the next one, if the store has it. */
    private void resolve(ActorContext<Object, R> self, Loaded loaded, long newest) throws Exception {
        var last = untold;
        if (last != null && (sequence.isWritten()
                || (!sequence.isFenced() && last.revision() == newest && isThere(self, loaded, last)))) {
            group.committed(last);
        }
        sequence = new Sequence(newest);
        untold = null;
    }

    /** Tells whether the newest turn in the store is this one, and not one of another writer. */
    private boolean isThere(ActorContext<Object, R> self, Loaded loaded, Turn turn) throws Exception {
        // A snapshot covers the turn itself.
        var there = loaded.turns().isEmpty()
                ? self.withoutDeadline(() -> group.spec.store()
                        .read(journal -> journal.history(id, turn.revision() - 1, 1)))
                : loaded.turns();
        return !there.isEmpty() && there.getLast().revision() == turn.revision()
                && there.getLast().at().equals(turn.at())
                && Arrays.equals(there.getLast().events(), turn.events())
                && (!loaded.turns().isEmpty()
                        || Arrays.equals(state(loaded.snapshot()), state(turn.snapshot())));
    }

    private static byte[] state(Optional<Snapshot> snapshot) {
        return snapshot.map(Snapshot::state).orElse(Frames.NONE);
    }

    /** Makes what the turn has done up to now a turn of the log. */
    private Turn turn(byte[] answer) {
        var now = scope.time().clock().instant().truncatedTo(ChronoUnit.MILLIS);
        var turn = open().written(revision + 1, now, answer);
        boolean snapshot =
                turn.deleted() || sinceSnapshot + 1 >= group.spec.settings().snapshotEvery;
        return TurnSize.checked(snapshot ? turn.with(snapshot(turn)) : turn);
    }

    /** Hands a turn to the store. What follows comes after it. */
    private void submit(Turn turn) {
        long after = revision;
        group.spec.store().append(turn, sequence, () -> fenced(after));
        goOnAfter(turn);
    }

    private void goOnAfter(Turn turn) {
        before = open().after();
        revision = turn.revision();
        handled.add(turn.handled(), oldestId());
        sinceSnapshot = turn.snapshot().isPresent() ? 0 : sinceSnapshot + 1;
        open().clear();
    }

    /** Returns the revision before the turn of the handler. */
    long revision() {
        return revision;
    }

    /** Makes durable what the handler has added up to now, and all turns before. */
    void flush(ActorContext<Object, R> self) throws Exception {
        if (open().hasChanges()) {
            commit(self, turn(Frames.NONE));
        } else {
            awaitTurns(self);
        }
    }

    /** Writes a turn, and those before it. */
    private void commit(ActorContext<Object, R> self, Turn turn) throws Exception {
        // Until the end of the commit is known, the state may be old.
        current = false;
        untold = turn;
        submit(turn);
        end(self, turn);
    }

    private void end(ActorContext<Object, R> self, Turn turn) throws Exception {
        // mutant: answer-leaves-before-the-commit, message-leaves-before-the-commit
        awaitTurns(self);
        current = true;
        untold = null;
        group.committed(turn);
    }

    /**
     * Writes a turn on this thread, since nothing else is to be written. If the store does not answer within the
     * limit, this thread still waits for it, and another one fails the ask.
     */
    private R commitHere(ActorContext<Object, R> self, Turn turn, R answer) throws Exception {
        var reply = self.deferReply();
        current = false;
        untold = turn;
        long after = revision;
        group.spec.store().appendHere(turn, sequence, () -> fenced(after),
                failure -> answerApart(() -> reply.fail(Sequence.failure(failure))));
        goOnAfter(turn);
        end(self, turn);
        reply.complete(answer);
        return answer; // goes nowhere
    }

    private Snapshot snapshot(Turn turn) {
        return new Snapshot(turn.revision(),
                Arrays.equals(turn.events(), Frames.DELETED) // with events behind, the key is there again
                        ? Frames.NONE
                        : Frames.sealed(group.codec.encode(Objects.requireNonNull(open().after()))));
    }
}
