package io.fibry.durable;

import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.Stereotypes;
import io.fibry.durable.Frames.KeptAnswer;
import io.fibry.durable.Frames.Letter;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Loaded;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Snapshot;
import io.fibry.durable.Journal.Turn;
import io.fibry.function.ContextReplyHandler;
import io.fibry.keyed.KeyedActors;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The handler of one durable actor. Its state is that of the store, as long as it is {@linkplain #current current}, or what
 * that will be when the {@linkplain #sequence turns under way} are written. A commit whose end is not known, or that was
 * fenced, makes it old, and it is read again before the next message.
 */
final class DurableActor<S, E, K, M, R extends @Nullable Object>
        implements
            ContextReplyHandler<Object, R>,
            DurableContext<S, E, M, R> {
    private static final byte[] NONE = {};
    private final DurableGroup<S, E, K, M, R> group;
    private final Id id;
    private final ActorScope scope;

    // What the store has, or will have when the turns under way are written.
    private boolean current;
    private S before;
    private long revision;
    private int sinceSnapshot;
    private final Map<String, KeptAnswer> answers = new LinkedHashMap<>();
    /** Reminders that this actor has changed: a message of an earlier setting may be under way. */
    private final Map<String, Optional<Instant>> changed = new HashMap<>();
    private Sequence sequence = new Sequence();

    // What the turn has added.
    private @Nullable ActorContext<Object, R> context;
    private S state;
    private String messageId = "";
    private @Nullable RuntimeException failure;
    private final List<byte[]> events = new ArrayList<>();
    private final List<Letter> letters = new ArrayList<>();
    private final ReminderChanges reminders;
    private boolean deleted;

    DurableActor(DurableGroup<S, E, K, M, R> group, Id id, ActorScope scope) {
        this.group = group;
        this.id = id;
        this.scope = scope;
        before = group.spec().first();
        state = before;
        reminders = new ReminderChanges(id);
    }

    @Override
    public R handle(ActorContext<Object, R> self, Object incoming) throws Exception {
        // mutant: state-is-kept-after-a-failure
        if (!current || sequence.hasFailed()) {
            awaitEnd(self);
            load(self);
        }
        var delivery = incoming instanceof DurableMessage sent ? sent : null;
        var message = group.messages().cast(delivery == null ? incoming : delivery.message());
        messageId = delivery != null ? delivery.id() : message instanceof Identified named
                ? Objects.requireNonNull(named.messageId(),
                        () -> "a message " + message.getClass().getName()
                                + " has null as its id; an empty text is none")
                : "";
        var known = messageId.isEmpty() ? null : answers.get(messageId);
        if (known != null) {
            return afterTurnsBefore(self, answer(known.answer()));
        }
        if (delivery != null && delivery.fired().isPresent() && isOld(delivery.fired().get())) {
            return afterTurnsBefore(self, answer(NONE));
        }
        context = self;
        try {
            reset();
            R answer = decide(self, message);
            if (delivery != null) {
                delivery.fired().filter(fired -> !deleted)
                        .ifPresent(fired -> reminders.next(fired, scope.time().clock().instant()));
            }
            return end(self, answer);
        } finally {
            context = null;
            reset();
        }
    }

    /** Calls the user's handler. Its failure may come of what the turns before have done, so it leaves after them. */
    private R decide(ActorContext<Object, R> self, M message) throws Exception {
        try {
            R answer = group.handler().handle(this, message);
            if (failure != null) {
                throw failure;
            }
            return answer;
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
        if (hasWork() || !messageId.isEmpty()) {
            var turn = turn(
                    answer == null || messageId.isEmpty() ? NONE
                            : Frames.sealed(group.codec().encode(answer)));
            if (isPlain() && mayGoOn(self)) {
                submit(turn);
                return afterTurnsBefore(self, answer);
            }
            if (group.spec().store().isLone()) {
                return commitHere(self, turn, answer);
            }
            commit(self, turn);
            return answer;
        }
        if (group.spec().settings().confirmReads()) {
            awaitTurns(self);
            current = false;
            long newest = self.withoutDeadline(() -> group.spec().store().revision(id));
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
        var unused = sequence.last().whenCompleteAsync((written, failed) -> {
            if (failed == null) {
                reply.complete(answer);
            } else {
                reply.fail(Sequence.failure(failed instanceof CompletionException && failed.getCause() != null
                        ? failed.getCause()
                        : failed));
            }
        }, this::answerApart);
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
        return group.spec().settings().pipelined() && self.self().mailboxSize() > 0 && !sequence.isFull();
    }

    /** Tells whether the turn does nothing but add events, and keep an answer. */
    private boolean isPlain() {
        return !deleted && letters.isEmpty() && reminders.isEmpty();
    }

    /** Waits until the store has none of the turns: it would write them behind what is read. Those who asked know how they end. */
    private void awaitEnd(ActorContext<Object, R> self) throws Exception {
        self.withoutDeadline(() -> sequence.last().handle((nothing, failed) -> true).get());
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
        return bytes.length == 0 ? null : group.codec().decode(Frames.unsealed(bytes), group.answers());
    }

    private boolean isOld(Reminder fired) {
        var now = changed.get(fired.name());
        return now != null && (now.isEmpty() || !now.get().equals(fired.at()));
    }

    private void load(ActorContext<Object, R> self) throws Exception {
        var spec = group.spec();
        var loaded = self.withoutDeadline(() -> spec.store().load(id))
                .orElseGet(() -> new Loaded(Optional.empty(), List.of()));
        answers.clear();
        S next = spec.first();
        long at = 0;
        if (loaded.snapshot().isPresent()) {
            var snapshot = loaded.snapshot().get();
            at = snapshot.revision();
            next = read(at, () -> snapshot.state().length == 0
                    ? spec.first()
                    : group.codec().decode(Frames.unsealed(snapshot.state()), spec.states()));
            read(at, () -> Frames.kept(snapshot.ids())).forEach(kept -> answers.put(kept.id(), kept));
        }
        for (var turn : loaded.turns()) {
            if (turn.revision() != at + 1) {
                throw new IllegalStateException("the log of " + id.group() + " " + id.key() + " has revision "
                        + turn.revision() + " after " + at + ": something else has changed the store");
            }
            at = turn.revision();
            S before = next;
            next = read(at, () -> apply(before, turn));
            turn.messageId().ifPresent(
                    known -> answers.put(known, new KeptAnswer(known, turn.at(), turn.answer())));
        }
        resolve(loaded, at);
        before = next;
        state = next;
        revision = at;
        sinceSnapshot = loaded.turns().size();
        current = true;
    }

    /**
     * Finds out which of the turns that were under way have taken place. What another writer has changed is not known here.
     */
    private void resolve(Loaded loaded, long newest) {
        var turns = sequence.uncertain();
        sequence = new Sequence();
        long durable = turns.isEmpty() ? revision : turns.getFirst().revision() - 1;
        var last =
                turns.stream().filter(turn -> turn.revision() == newest && isThere(loaded, turn)).findAny();
        if (last.isPresent()) {
            turns.stream().filter(turn -> turn.revision() <= newest).forEach(this::note);
        } else if (newest != durable) {
            changed.clear();
        }
    }

    private static boolean isThere(Loaded loaded, Turn turn) {
        if (loaded.turns().isEmpty()) {
            return turn.snapshot().isPresent(); // it covers the turn itself
        }
        var last = loaded.turns().getLast();
        return last.at().equals(turn.at()) && Arrays.equals(last.events(), turn.events());
    }

    private void note(Turn turn) {
        if (turn.deleted()) {
            changed.replaceAll((name, at) -> Optional.empty());
        }
        turn.forgotten().forEach(name -> changed.put(name, Optional.empty()));
        turn.reminders().forEach(reminder -> changed.put(reminder.name(), Optional.of(reminder.at())));
    }

    private S apply(S before, Turn turn) {
        S next = before;
        for (var event : Frames.split(turn.events())) {
            next = group.spec().apply().apply(next, group.codec().decode(event, group.spec().events()));
        }
        return next;
    }

    private <T> T read(long at, Supplier<T> reader) {
        try {
            return reader.get();
        } catch (RuntimeException e) {
            throw new IllegalStateException(
                    "the state of " + id.group() + " " + id.key() + " cannot be read at revision "
                            + at + "; nothing is passed over: " + e.getMessage(),
                    e);
        }
    }

    /** Begins anew with what the store has. */
    private void reset() {
        state = before;
        failure = null;
        clear();
    }

    private void clear() {
        events.clear();
        letters.clear();
        reminders.clear();
        deleted = false;
    }

    private boolean hasWork() {
        return deleted || !events.isEmpty() || !letters.isEmpty() || !reminders.isEmpty();
    }

    /** Makes what the turn has done up to now a turn of the log. */
    private Turn turn(byte[] answer) {
        var now = scope.time().clock().instant().truncatedTo(ChronoUnit.MILLIS);
        if (!messageId.isEmpty()) {
            keep(now, answer);
        }
        boolean snapshot = deleted || sinceSnapshot + 1 >= group.spec().settings().snapshotEvery();
        return new Turn(id, revision + 1, now, Frames.join(events),
                messageId.isEmpty() ? Optional.empty() : Optional.of(messageId), answer,
                Frames.outbox(letters),
                reminders.set(), reminders.forgotten(),
                snapshot ? Optional.of(snapshot()) : Optional.empty(),
                deleted);
    }

    /** Hands a turn to the store. What follows comes after it. */
    private void submit(Turn turn) {
        long after = revision;
        group.spec().store().append(turn, sequence, () -> fenced(after));
        goOnAfter(turn);
    }

    private void goOnAfter(Turn turn) {
        before = state;
        revision = turn.revision();
        sinceSnapshot = turn.snapshot().isPresent() ? 0 : sinceSnapshot + 1;
        clear();
    }

    /** Writes a turn, and those before it. */
    private void commit(ActorContext<Object, R> self, Turn turn) throws Exception {
        // Until the end of the commit is known, the state may be old.
        current = false;
        submit(turn);
        end(self, turn);
    }

    private void end(ActorContext<Object, R> self, Turn turn) throws Exception {
        // mutant: answer-leaves-before-the-commit, message-leaves-before-the-commit
        awaitTurns(self);
        current = true;
        note(turn);
        group.committed(turn);
    }

    /**
     * Writes a turn on this thread, since nothing else is to be written. If the store does not answer within the limit, this
     * thread cannot give the answer. So another one can.
     */
    private R commitHere(ActorContext<Object, R> self, Turn turn, R answer) throws Exception {
        var reply = self.deferReply();
        current = false;
        long after = revision;
        group.spec().store().appendHere(turn, sequence, () -> fenced(after),
                failure -> reply.fail(Sequence.failure(failure)));
        goOnAfter(turn);
        end(self, turn);
        reply.complete(answer);
        return answer; // goes nowhere
    }

    private Snapshot snapshot() {
        // mutant: ids-are-not-in-snapshots
        return new Snapshot(revision + 1,
                state == group.spec().first()
                        ? NONE
                        : Frames.sealed(group.codec().encode(Objects.requireNonNull(state))),
                Frames.ids(answers.values()));
    }

    private void keep(Instant now, byte[] answer) {
        var oldest = now.minus(group.spec().settings().ids());
        answers.values().removeIf(kept -> kept.at().isBefore(oldest));
        answers.put(messageId, new KeptAnswer(messageId, now, answer));
    }

    private ActorContext<Object, R> turn() {
        var now = context;
        if (now == null) {
            throw new IllegalStateException("the context of " + id.group() + " " + id.key()
                    + " is used outside of its handler; it belongs to the handler, while that runs");
        }
        if (failure != null) {
            throw failure;
        }
        return now;
    }

    @Override
    public S state() {
        turn();
        return state;
    }

    @Override
    public long revision() {
        turn();
        return revision;
    }

    @Override
    public String key() {
        return id.key();
    }

    @Override
    public String messageId() {
        turn();
        return messageId;
    }

    @Override
    public void persist(E event) {
        turn();
        var bytes = group.codec().encode(Objects.requireNonNull(event, "event"));
        // First, since the log must not have an event of which there is no next state.
        S next = group.spec().apply().apply(state, event);
        if (next == null) {
            throw new NullPointerException("the function that applies an event has returned null for "
                    + event.getClass().getName() + " in " + id.group() + " " + id.key()
                    + "; it returns the next state");
        }
        // mutant: each-event-is-a-turn
        events.add(bytes);
        state = next;
    }

    @Override
    public void flush() throws InterruptedException {
        var self = turn();
        // mutant: id-is-written-with-the-first-of-two-commits
        if (!messageId.isEmpty()) {
            throw new IllegalStateException("flush() while the message " + messageId
                    + " is handled, which has an id:"
                    + " if the process ended now, its repetition would do one half of the turn twice, or never;"
                    + " send what is to be done after the flush to this actor as another message");
        }
        try {
            if (hasWork()) {
                commit(self, turn(NONE));
            } else {
                awaitTurns(self);
            }
        } catch (InterruptedException e) {
            failure = new IllegalStateException("the wait for a flush was interrupted", e);
            throw e;
        } catch (RuntimeException e) {
            failure = e;
            throw e;
        } catch (Exception e) {
            failure = new IllegalStateException(e);
            throw failure;
        }
    }

    @Override
    public <T> void send(KeyedActors<?, ? super T, ?> to, T message) {
        turn();
        var target = group.spec().store().groups().of(to);
        letters.add(new Letter(target.name(), target.encode(Objects.requireNonNull(message, "message"))));
    }

    @Override
    public void send(M message) {
        turn();
        group.keyText(message); // this handler hears of a key that cannot be kept, and not the log of the outbox
        letters.add(new Letter(group.name(), group.encode(message)));
    }

    @Override
    public void remind(String name, Instant at, M message) {
        set(name, at, Optional.empty(), message);
    }

    @Override
    public void remindEvery(String name, Duration every, M message) {
        turn();
        reminders.check(name, every);
        set(name, scope.time().clock().instant().plus(every), Optional.of(every), message);
    }

    private void set(String name, Instant at, Optional<Duration> every, M message) {
        turn();
        reminders.check(name, at);
        var key = group.keyText(message);
        if (!key.equals(id.key())) {
            throw new IllegalArgumentException("a reminder goes to the actor that sets it, " + id.key()
                    + ", and its message has the key " + key);
        }
        reminders.set(name, at, every, group.encode(message));
    }

    @Override
    public void forget(String name) {
        turn();
        reminders.forget(name);
    }

    @Override
    public void delete() {
        turn();
        events.clear();
        reminders.clear();
        deleted = true;
        state = group.spec().first();
    }

    @Override
    public ActorContext<?, ?> actor() {
        return turn();
    }
}
