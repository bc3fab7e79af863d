package io.fibry.durable;

import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.durable.Frames.Letter;
import io.fibry.durable.Journal.Handled;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Turn;
import io.fibry.keyed.KeyedActors;
import io.fibry.time.Schedule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The turn of one durable actor that is not handed to the store yet: what its handler sees, and what the handler has added.
 * Each message has one, which is empty again after a flush. Only the thread of the handler uses it.
 */
final class OpenTurn<S, E, K, M, R extends @Nullable Object> implements DurableContext<S, E, M, R> {
    private final DurableGroup<S, E, K, M, R> group;
    private final Id id;
    private final ActorScope scope;
    private final DurableActor<S, E, K, M, R> actor;

    /** Null when the handler has ended. */
    private @Nullable ActorContext<Object, R> context;
    private S state;
    private final String messageId;
    private final List<Handled> handled;
    private @Nullable RuntimeException failure;
    private List<byte[]> events = new ArrayList<>(0);
    private List<Letter> letters = new ArrayList<>(0);
    private final ReminderChanges reminders;
    private boolean deleted;

    /**
     * Begins with a message, and with the state that the turns before have left.
     *
     * @param messageId what the handler sees as the id
     * @param handled what is kept, so that the message is not handled again
     */
    OpenTurn(DurableGroup<S, E, K, M, R> group, Id id, ActorScope scope, DurableActor<S, E, K, M, R> actor,
            ActorContext<Object, R> context, S before, String messageId, List<Handled> handled) {
        this.group = group;
        this.id = id;
        this.scope = scope;
        this.actor = actor;
        this.context = context;
        this.messageId = messageId;
        this.handled = handled;
        state = before;
        reminders = new ReminderChanges(id);
    }

    /** Forgets what was added, since it was handed to the store or is given up. */
    void clear() {
        events = new ArrayList<>(0);
        letters = new ArrayList<>(0);
        reminders.clear();
        deleted = false;
    }

    void end() {
        context = null;
    }

    /** Fails if a flush has failed, whether the handler has caught that or not. */
    void requireFlushed() {
        if (failure != null) {
            throw failure;
        }
    }

    /** Notes that this turn has handled the message of a reminder. */
    void fired(Reminder reminder) {
        if (!deleted) {
            reminders.next(reminder, scope.time().clock().instant());
        }
    }

    /** Returns the state, also when no handler runs. */
    S after() {
        return state;
    }

    /** Tells whether the answer is kept, for a message that comes again. */
    boolean keepsAnswer() {
        return handled.stream().anyMatch(message -> message.from().isEmpty());
    }

    /** Tells whether there is something to be written when the handler has returned. */
    boolean hasWork() {
        return hasChanges() || !handled.isEmpty();
    }

    boolean hasChanges() {
        return deleted || !events.isEmpty() || !letters.isEmpty() || !reminders.isEmpty();
    }

    /** Tells whether the turn only adds events and keeps an answer. */
    boolean isPlain() {
        return !deleted && letters.isEmpty() && reminders.isEmpty();
    }

    /** Returns what was added up to now as a turn of the log, without a snapshot. */
    Turn written(long revision, Instant now, byte[] answer) {
        return new Turn(id, revision, now, Frames.events(deleted, events),
                handled.stream().map(message -> new Handled(message.id(), now, message.from(),
                        message.from().isEmpty() ? answer : Frames.NONE)).toList(),
                Frames.outbox(letters),
                reminders.set(), reminders.forgotten(), Optional.empty(),
                deleted);
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
        return actor.revision();
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
        var bytes = group.codec.encode(Objects.requireNonNull(event, "event"));
        // First, since the log must not have an event that leads to no state.
        S next = group.spec.apply().apply(state, event);
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
            actor.flush(self);
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
        var target = group.spec.store().groups().of(to);
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
        set(name, at, "", message);
    }

    @Override
    public void remind(String name, Schedule schedule, M message) {
        turn();
        var every = reminders.every(name, schedule);
        var begin = scope.time().clock().instant().plus(schedule.delay());
        set(name, schedule.next(begin).or(schedule::start).orElse(begin), every, message);
    }

    private void set(String name, Instant at, String every, M message) {
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
        state = group.spec.first();
    }

    @Override
    public ActorContext<?, ?> actor() {
        return new TurnContext<>(turn(), id.group() + " " + id.key());
    }
}
