package io.fibry.durable;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Slices;
import io.fibry.function.ContextHandler;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the reminders of a group, as the handler of one actor. It has timers for those that are due soon, and reads the
 * others when their time comes nearer. The turn that handles a reminder deletes it; until then it is sent again.
 */
final class Alarms implements ContextHandler<Alarms.Call> {
    private static final Logger LOG = LoggerFactory.getLogger(Alarms.class);
    /** Reminders that are due later have no timer. */
    private static final Duration AHEAD = Duration.ofMinutes(1);
    /** How often reminders are read, so that those that come near get a timer. */
    private static final Duration LOOK = AHEAD.dividedBy(2);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final int PAGE = 10_000;

    private final DurableStore store;
    private final String group;
    private final Function<Reminder, CompletableFuture<?>> deliver;
    private final Map<Name, Reminder> set = new HashMap<>();
    /** The slices of which this node is the home. */
    private Slices slices = Outbox.NONE;
    private boolean isAskedToRead;
    private boolean more;
    /** The pause after the last read that has failed; the first one if none has. */
    private Duration readAgain = PAUSE;

    Alarms(DurableStore store, String group, Function<Reminder, CompletableFuture<?>> deliver) {
        this.store = store;
        this.group = group;
        this.deliver = deliver;
    }

    @Override
    public void handle(ActorContext<Call, Void> context, Call call) {
        switch (call) {
            case Begun begun -> {
                slices = new Slices(begun.of(), slices.numbers()).with(begun.slice());
                readSoon(context);
            }
            case Ended ended -> {
                slices = slices.without(ended.slice());
                set.keySet().stream().filter(name -> slices.slice(name.id()) == ended.slice()).toList()
                        .forEach(name -> forget(context, name));
            }
            case Read read -> read(context, read.isTimed());
            case Changed changed when slices.contains(changed.id()) -> {
                for (var name : changed.forgotten()) {
                    forget(context, new Name(changed.id(), name));
                }
                if (changed.all()) {
                    set.keySet().stream().filter(name -> name.id().equals(changed.id())).toList()
                            .forEach(name -> forget(context, name));
                }
                changed.reminders().forEach(reminder -> set(context, reminder));
            }
            case Changed ofOthers -> {
                // The next home reads what the store has.
            }
            case Fire fire -> fire(context, fire.name());
            case Answered answered -> answered(context, answered);
        }
    }

    /** Reads after what is in the mailbox, so that slices that begin together are read together. */
    private void readSoon(ActorContext<Call, Void> context) {
        if (!isAskedToRead) {
            isAskedToRead = true;
            context.self().sendMessage(new Read(false));
        }
    }

    private void read(ActorContext<Call, Void> context, boolean isTimed) {
        isAskedToRead = false;
        if (slices.numbers().isEmpty()) {
            return;
        }
        context.timers().once(group, LOOK, new Read(true));
        try {
            var due = store.due(group, slices, now(context).plus(AHEAD), PAGE);
            more = due.size() == PAGE;
            due.forEach(reminder -> set(context, reminder));
            readAgain = PAUSE;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            if (isTimed) {
                var twice = readAgain.multipliedBy(2);
                readAgain = twice.compareTo(LOOK) < 0 ? twice : LOOK;
            }
            LOG.warn("the reminders of {} could not be read; they are read again in {}", group, readAgain, e);
            context.timers().once(group, readAgain, new Read(true));
        }
    }

    private static Instant now(ActorContext<Call, Void> context) {
        return context.scope().time().clock().instant();
    }

    private void set(ActorContext<Call, Void> context, Reminder reminder) {
        var name = new Name(reminder.id(), reminder.name());
        var before = set.get(name);
        if (before != null && before.at().equals(reminder.at())) {
            return;
        }
        forget(context, name);
        var left = Duration.between(now(context), reminder.at());
        if (left.compareTo(AHEAD) <= 0) {
            set.put(name, reminder);
            if (left.isPositive()) {
                context.timers().once(name, left, new Fire(name));
            } else {
                context.self().sendMessage(new Fire(name));
            }
        }
    }

    private void forget(ActorContext<Call, Void> context, Name name) {
        if (set.remove(name) != null) {
            context.timers().cancel(name);
        }
    }

    private void fire(ActorContext<Call, Void> context, Name name) {
        var reminder = set.get(name);
        if (reminder == null) {
            return;
        }
        Actor<Call, Void> self = context.self();
        CompletableFuture<?> answer;
        try {
            answer = deliver.apply(reminder);
        } catch (RuntimeException | Error e) { // of the program: a record that cannot be made, or a key that is refused
            answer = CompletableFuture.failedFuture(e);
        }
        var unused = answer.whenComplete((value, failure) -> self
                .sendMessage(new Answered(name, reminder.at(), failure == null ? "" : failure.toString())));
    }

    private void answered(ActorContext<Call, Void> context, Answered answered) {
        var name = answered.name();
        var reminder = set.get(name);
        if (reminder == null || !reminder.at().equals(answered.at())) {
            return;
        }
        if (!answered.failure().isEmpty()) {
            LOG.warn("the reminder {} of {} has failed and is sent again: {}", name.name(), name.id(),
                    answered.failure());
            context.timers().once(name, PAUSE, new Fire(name));
            return;
        }
        set.remove(name);
        if (set.isEmpty() && more) {
            read(context, false);
        }
    }

    /** Names a reminder. */
    record Name(Id id, String name) {
    }

    /** What the actor is told. */
    sealed interface Call {
    }

    /** This node is the home of a slice, of so many. */
    record Begun(int slice, int of) implements Call {
    }

    /** This node is not the home of a slice any more. */
    record Ended(int slice) implements Call {
    }

    /** The reminders that are due soon are to be read. */
    record Read(boolean isTimed) implements Call {
    }

    /** A turn has changed reminders of its key. */
    record Changed(Id id, boolean all, Set<String> forgotten, List<Reminder> reminders)
            implements
                Call {
    }

    /** The time of a reminder has come. */
    record Fire(Name name) implements Call {
    }

    /** A reminder was handled, or has failed. */
    record Answered(Name name, Instant at, String failure) implements Call {
    }
}
