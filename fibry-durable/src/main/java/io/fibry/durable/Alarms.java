package io.fibry.durable;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.FailurePolicy.Backoff;
import io.fibry.durable.Durable.Parking;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Slices;
import io.fibry.durable.Journal.Tries;
import io.fibry.function.ContextHandler;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the reminders of a group, as the handler of one actor. It sets timers for reminders that are due soon, and
 * reads the others when their time comes nearer. The turn that handles a reminder deletes it; until then it is sent
 * again, after pauses that become longer.
 *
 * <p>The store keeps how often a reminder has failed, and when its next try is. Reminders are read in the order of
 * their next tries, so those that fail hold up no others, however many fail, and take no memory between tries.
 */
final class Alarms implements ContextHandler<Alarms.Call> {
    private static final Logger LOG = LoggerFactory.getLogger(Alarms.class);
    /** Reminders that are due later have no timer. */
    private static final Duration AHEAD = Duration.ofMinutes(1);
    /** How often reminders are read, so that those that come near get a timer. */
    private static final Duration LOOK = AHEAD.dividedBy(2);
    private static final Backoff RETRIES_OF_READING = new Backoff(Duration.ofSeconds(1), LOOK, 0);
    private static final int PAGE = 5_000;
    private static final int MOST_LATE = 1_000;

    private final DurableStore store;
    private final String group;
    private final Parking parking;
    private final Function<Reminder, CompletableFuture<?>> deliver;
    private final Consumer<Reminder> gone;
    private final DurableLoad load;
    /** The reminders that have a timer or are under way. */
    private final Map<Name, Reminder> set = new HashMap<>();
    /** Some reminders that have failed and have no timer, since their next try is not soon. They count as late. */
    private final Map<Name, Late> late = new HashMap<>();
    /** The slices of which this node is the home. */
    private Slices slices = Outbox.NONE;
    private boolean isAskedToRead;
    /** Whether the store may have more reminders that are due soon. */
    private boolean more;
    /** More reminders are read when this many, or fewer, are left. */
    private int least;
    private int failedReads;

    /**
     * @param deliver sends a reminder or a letter; the future is complete when it has been handled
     * @param gone is told of letters that are not in the store any more
     */
    Alarms(DurableStore store, String group, Parking parking,
            Function<Reminder, CompletableFuture<?>> deliver,
            Consumer<Reminder> gone, DurableLoad load) {
        this.store = store;
        this.group = group;
        this.parking = parking;
        this.deliver = deliver;
        this.gone = gone;
        this.load = load;
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
                forgetAll(context, name -> slices.slice(name.id()) == ended.slice());
            }
            case Read read -> read(context, read.isTimed());
            case Changed changed when slices.contains(changed.id()) -> {
                for (var name : changed.forgotten()) {
                    forget(context, new Name(changed.id(), name));
                }
                if (changed.all()) {
                    forgetAll(context, name -> name.id().equals(changed.id())
                            && !name.name().startsWith(Reminder.LETTER));
                }
                changed.reminders().forEach(reminder -> set(context, reminder));
            }
            case Erased erased -> forgetAll(context,
                    name -> name.id().equals(erased.id()) && name.name().startsWith(Reminder.LETTER));
            case Changed ofOthers -> {
                // The next home reads what the store has.
            }
            case Fire fire -> fire(context, fire.name());
            case Answered answered -> answered(context, answered);
            case Postponed postponed -> postponed(context, postponed);
        }
        if (more && failedReads == 0 && set.size() <= least) {
            readSoon(context);
        }
        load.soon = set.size();
        if (set.isEmpty() && late.isEmpty()) {
            load.first = Optional.empty();
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
            // Those in memory are read again, and a page behind them.
            int most = PAGE + set.size();
            var mine = slices;
            var until = now(context).plus(AHEAD);
            var due = store.read(journal -> journal.due(group, mine, until, most));
            more = Reminder.isFull(due, most);
            if (!more) { // another process has deleted what is not there
                var there = due.stream().map(Alarms::name).collect(Collectors.toSet());
                set.values().stream()
                        .filter(each -> !each.tries().next().isAfter(until) && !there.contains(name(each)))
                        .toList().forEach(each -> forget(context, name(each)));
            }
            due.forEach(reminder -> set(context, reminder));
            late.values().removeIf(each -> !each.next().isAfter(until)); // it was read, if it is there
            load.first = Stream.concat(due.stream().map(Reminder::at), late.values().stream().map(Late::at))
                    .min(Instant::compareTo);
            least = set.size() / 2;
            failedReads = 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            // Slices that begin ask for a read each, and these may all fall into the same moment.
            failedReads += isTimed || failedReads == 0 ? 1 : 0;
            var pause = Retries.pause(RETRIES_OF_READING, failedReads, group);
            LOG.warn("the reminders of {} could not be read; they are read again in {}", group, pause, e);
            context.timers().once(group, pause, new Read(true));
        }
    }

    private static Instant now(ActorContext<Call, Void> context) {
        return context.scope().time().clock().instant();
    }

    /** Returns how long it is until the next try, as the clock shows it now: it may be put back. */
    private static Duration left(ActorContext<Call, Void> context, Reminder reminder) {
        return Duration.between(now(context), reminder.tries().next());
    }

    private void set(ActorContext<Call, Void> context, Reminder reminder) {
        var name = name(reminder);
        var before = set.get(name);
        if (before != null && before.at().equals(reminder.at())) {
            return;
        }
        forget(context, name);
        setTimer(context, reminder);
    }

    /** Sets a timer for the next try, if that is soon. */
    private void setTimer(ActorContext<Call, Void> context, Reminder reminder) {
        var name = name(reminder);
        var left = left(context, reminder);
        if (left.compareTo(AHEAD) > 0) {
            if (reminder.tries().failed() > 0 && !reminder.tries().next().equals(Tries.NEVER)
                    && late.size() < MOST_LATE) {
                late.put(name, new Late(reminder.at(), reminder.tries().next()));
            }
        } else {
            set.put(name, reminder);
            if (left.isPositive()) {
                context.timers().once(name, left, new Fire(name));
            } else {
                fire(context, name);
            }
        }
    }

    private static Name name(Reminder reminder) {
        return new Name(reminder.id(), reminder.name());
    }

    private void forgetAll(ActorContext<Call, Void> context, Predicate<Name> which) {
        Stream.concat(set.keySet().stream(), late.keySet().stream()).filter(which).toList()
                .forEach(name -> forget(context, name));
    }

    private void forget(ActorContext<Call, Void> context, Name name) {
        late.remove(name);
        if (set.remove(name) != null) {
            context.timers().cancel(name);
        }
    }

    private void fire(ActorContext<Call, Void> context, Name name) {
        var reminder = set.get(name);
        if (reminder == null) {
            return;
        }
        // A try after a failure comes when its pause is over, whatever the clock shows by then.
        // mutant: reminder-comes-before-its-time-where-the-clock-is-put-back
        if (reminder.tries().failed() == 0 && left(context, reminder).isPositive()) {
            set.remove(name);
            setTimer(context, reminder);
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
                .sendMessage(
                        new Answered(name, reminder.at(), Optional.ofNullable(failure))));
    }

    private void answered(ActorContext<Call, Void> context, Answered answered) {
        var name = answered.name();
        var reminder = set.get(name);
        if (reminder == null || !reminder.at().equals(answered.at())) {
            return;
        }
        if (answered.failure().isPresent()) {
            fail(context, reminder, answered.failure().get());
            return;
        }
        if (reminder.tries().failed() > 0) {
            LOG.info("the reminder {} of {} {} was handled, after {} tries that have failed", name.name(),
                    name.id().group(), name.id().key(), reminder.tries().failed());
        }
        set.remove(name);
        if (reminder.isLetter()) {
            // If this fails, the letter is read and sent again, with its id.
            var unused = store.submit(journal -> {
                journal.drop(reminder, Optional.empty());
                return true;
            }).thenRun(() -> gone.accept(reminder));
        }
    }

    private void fail(ActorContext<Call, Void> context, Reminder reminder, Throwable failure) {
        var name = name(reminder);
        var what = "the reminder " + name.name() + " of " + name.id().group() + " " + name.id().key();
        var postponed =
                reminder.with(Retries.failed(parking, what, reminder.tries(), failure, now(context)));
        // It stays in memory until the store has the next try: a read would find the one before.
        set.put(name, postponed);
        Actor<Call, Void> self = context.self();
        var unused = store.postpone(postponed).handle(
                (isWritten, notWritten) -> self.sendMessage(new Postponed(name, postponed,
                        Boolean.TRUE.equals(isWritten))));
    }

    private void postponed(ActorContext<Call, Void> context, Postponed postponed) {
        var name = postponed.name();
        if (set.get(name) != postponed.reminder()) {
            return; // it was set anew meanwhile, or forgotten
        }
        if (postponed.isWritten()) {
            set.remove(name);
            if (!more) {
                setTimer(context, postponed.reminder());
            } // else it is read in its order, and the others come first
        } else {
            // Here alone it is known.
            var left = left(context, postponed.reminder());
            context.timers().once(name, left.compareTo(Retries.LONGEST) > 0 ? Retries.LONGEST : left,
                    new Fire(name));
        }
    }

    record Name(Id id, String name) {
    }

    /** When a reminder was to come, and when its next try is. */
    private record Late(Instant at, Instant next) {
    }

    sealed interface Call extends StoreCall {
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

    /** What a key has sent is not in the store any more. */
    record Erased(Id id) implements Call {
    }

    record Fire(Name name) implements Call {
    }

    record Answered(Name name, Instant at, Optional<Throwable> failure) implements Call {
    }

    /** The store has the next try of a reminder, or could not write it. */
    record Postponed(Name name, Reminder reminder, boolean isWritten) implements Call {
    }
}
