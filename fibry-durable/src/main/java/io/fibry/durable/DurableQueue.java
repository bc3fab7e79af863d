package io.fibry.durable;

import io.fibry.Actor;
import io.fibry.ActorException;
import io.fibry.ActorScope;
import io.fibry.codec.Codec;
import io.fibry.durable.Durable.Spec;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Snapshot;
import io.fibry.durable.Journal.Turn;
import io.fibry.durable.LogReader.Newest;
import io.fibry.function.Handler;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A queue of work that survives the end of a process. Work is handed in once, under an id of its own, and is done by the workers of
 * all processes that have the store: at least once, until an attempt has not failed. Objects are immutable and thread-safe.
 *
 * <pre>{@code
 * var mails = DurableQueue.of(store, "mails", Mail.class).parkAfter(10);
 * mails.start(scope, 4, task -> send(task.id(), task.work()));
 * mails.handIn("order-4711", new Mail("ann@example.com", "Thank you"));
 * }</pre>
 *
 * @param <W> type of the work
 */
public final class DurableQueue<W> {
    /** The names of reminders of work that is to be done begin with this, and the tenant follows. */
    private static final String TENANT = "0";
    /** The name of the reminder at whose time a receipt is deleted. It is behind those of all tenants. */
    static final String RECEIPT = "1";
    /** What is at work is one state, which has a largest size. */
    private static final int MOST = 1_000;

    private final Durable<Item, Item> items;
    final Class<W> type;
    final int most;
    final int ofTenant;
    private final Function<? super W, String> tenantOf;
    final Duration lease;
    final Codec codec;
    private final Codec codecOfAtWork;
    private final LogReader<Item, Item> log;
    private final LogReader<AtWork, AtWork> logOfAtWork;

    private DurableQueue(Durable<Item, Item> items, Class<W> type, int most, int ofTenant,
            Function<? super W, String> tenantOf, Duration lease) {
        this.items = items;
        this.type = type;
        this.most = most;
        this.ofTenant = ofTenant;
        this.tenantOf = tenantOf;
        this.lease = lease;
        codec = Codec.of(spec().settings().codec, Item.class, type);
        codecOfAtWork = Codec.of(spec().settings().codec.largest(TurnSize.MOST), AtWork.class);
        log = new LogReader<>(spec(), codec);
        logOfAtWork = new LogReader<>(
                Durable.stateOnly(store(), name(), AtWork.class, AtWork.NOTHING).spec(), codecOfAtWork);
    }

    /**
     * {@return a queue}
     *
     * @param <W> type of the work
     * @param store keeps the work
     * @param name names the queue in the store; it must stay the same
     * @param tasks class of the work, which a codec can write
     * @throws io.fibry.codec.CodecException if the class cannot be written
     */
    public static <W> DurableQueue<W> of(DurableStore store, String name, Class<W> tasks) {
        return new DurableQueue<>(
                Durable.stateOnly(store, name, Item.class, Item.FIRST).ids(Duration.ofDays(7)),
                Objects.requireNonNull(tasks, "tasks"), MOST, MOST, work -> "", Duration.ofSeconds(30));
    }

    /**
     * Sets how much may be at work at the same time, in all processes together. Set the same in all of them.
     *
     * @param tasks the number, from 1 to 1,000, which is the usual one
     * @return a queue with this limit
     */
    public DurableQueue<W> atMost(int tasks) {
        return new DurableQueue<>(items, type, checked(tasks), ofTenant, tenantOf, lease);
    }

    /**
     * Sets how much of one tenant may be at work at the same time, in all processes together. Tenants take turns. Set
     * the same in all processes.
     *
     * @param tasks the number, from 1 to 1,000
     * @param tenant returns the tenant of a task, a text of at most 255 characters; called when it is handed in
     * @return a queue with this limit
     */
    public DurableQueue<W> atMostOfTenant(int tasks, Function<? super W, String> tenant) {
        return new DurableQueue<>(items, type, most, checked(tasks), Objects.requireNonNull(tenant, "tenant"),
                lease);
    }

    private static int checked(int tasks) {
        if (tasks < 1 || tasks > MOST) {
            throw new IllegalArgumentException(
                    "from 1 to " + MOST + " tasks of a queue are done at the same time, not " + tasks);
        }
        return tasks;
    }

    /**
     * Sets after which time others take the tasks of a process that has ended, or cannot reach the store. Their attempts have
     * failed. The usual time is 30 seconds. With a file, the next process takes them at once. Set the same in all processes.
     *
     * @param time the time, at least a second; longer than a process may stand still
     * @return a queue with this time
     */
    public DurableQueue<W> giveBackAfter(Duration time) {
        if (Objects.requireNonNull(time, "time").compareTo(Duration.ofSeconds(1)) < 0) {
            throw new IllegalArgumentException("work is given back after at least a second, not " + time);
        }
        return new DurableQueue<>(items, type, most, ofTenant, tenantOf, time);
    }

    /**
     * Parks work that fails again and again. Without this it is tried for ever, after pauses that double from a second to ten
     * minutes. {@link #keys} lists what is parked, and sends it again or drops it.
     *
     * @param attempts after how many failed attempts; at least 1
     * @param atOnce exceptions after which work is parked at the first attempt
     * @return a queue with this
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is read only
    public final DurableQueue<W> parkAfter(int attempts, Class<? extends Throwable>... atOnce) {
        return new DurableQueue<>(items.parkAfter(attempts, atOnce), type, most, ofTenant, tenantOf, lease);
    }

    /**
     * Sets for how long the receipt of what is done is kept. The usual time is seven days.
     *
     * @param time the time, more than zero
     * @return a queue with this time
     */
    public DurableQueue<W> keepReceipts(Duration time) {
        return new DurableQueue<>(items.ids(time), type, most, ofTenant, tenantOf, lease);
    }

    /**
     * Hands in work that is to be done as soon as possible.
     *
     * @param id names the task: no other one of this queue ever has this id. At most 512 characters
     * @param work the work
     * @return false if the id was handed in before, and nothing has changed; otherwise the task is durable
     * @throws IllegalStateException if other actors of this process have the name of the queue
     * @throws InterruptedException if the thread was interrupted
     * @throws ActorException if the store fails; the task may have been handed in, and this may be called again
     */
    public boolean handIn(String id, W work) throws InterruptedException {
        return !handIn(Map.of(id, work), Instant.now()).isEmpty();
    }

    /**
     * Hands in tasks together, which is quicker than one after another.
     *
     * @param tasks the tasks by their ids
     * @param at when they are to be done at the earliest
     * @return the ids that were not handed in before
     * @throws IllegalStateException if other actors of this process have the name of the queue
     * @throws InterruptedException if the thread was interrupted
     * @throws ActorException if the store fails; some may have been handed in, and this may be called again
     */
    public Set<String> handIn(Map<String, ? extends W> tasks, Instant at) throws InterruptedException {
        var there = store().groups().find(name());
        there.filter(target -> !(target instanceof QueueWorker)).ifPresent(other -> {
            throw Groups.taken(other);
        });
        var taken = write(
                tasks.entrySet().stream().map(each -> handedIn(each.getKey(), each.getValue(), at)).toList());
        if (there.orElse(null) instanceof QueueWorker<?> worker) {
            worker.wake();
        }
        return taken.stream().map(Id::key).collect(Collectors.toSet());
    }

    private Turn handedIn(String key, W work, Instant at) {
        var id = id(key);
        ReminderChanges.checkTime("the task " + key + " of " + name(), at);
        var tenant = TENANT + Objects.requireNonNull(tenantOf.apply(work), "tenant");
        var reminder = new Reminder(id, tenant, at.truncatedTo(ChronoUnit.MILLIS), "",
                codec.encode(type.cast(work)));
        return turn(id, 0, new Item(tenant, "", false), Instant.now().truncatedTo(ChronoUnit.MILLIS),
                List.of(reminder));
    }

    private Id id(String id) {
        if (id.isEmpty()) {
            throw new IllegalArgumentException("a task of " + name() + " has an id that is not empty");
        }
        return new Id(name(), id);
    }

    /**
     * Tells how far a task is.
     *
     * @param id the id
     * @return the receipt; empty if nothing was handed in, or if its receipt is not kept any more
     * @throws InterruptedException if the thread was interrupted
     * @throws ActorException if the store fails
     */
    public Optional<Receipt> receipt(String id) throws InterruptedException {
        var key = id(id);
        var item = load(key).state();
        if (!item.isDone() && !item.equals(Item.FIRST)) {
            var tenant = item.tenant();
            var reminder = store().read(journal -> journal.reminder(key, tenant));
            if (reminder.isPresent()) {
                var tries = reminder.get().tries();
                var state = reminder.get().isParked() ? Receipt.State.PARKED
                        : atWork().state().has(id) ? Receipt.State.AT_WORK : Receipt.State.WAITING;
                return Optional.of(new Receipt(state, tries.failed(), tries.reason(), item.progress()));
            }
            item = load(key).state(); // it was dropped before, or has been done meanwhile
        }
        return item.equals(Item.FIRST) ? Optional.empty()
                : Optional.of(new Receipt(item.isDone() ? Receipt.State.DONE : Receipt.State.DROPPED, 0, "",
                        item.progress()));
    }

    /**
     * {@return the ids of the tasks as keys, also of those that are done and whose receipts are kept} Tasks can be
     * listed, counted, and deleted in any state. Those that are parked can be sent again or dropped.
     */
    public DurableKeys keys() {
        return items.keys();
    }

    /**
     * Starts to do work in this process. What fails is tried again. The handler may get a task again that it has done, if the
     * process ends, or is cut off from the store, before that is written: so let what it does be done once for each {@link
     * Task#id}. While a process is alive and reaches the store, nothing of its work is done by another one.
     *
     * @param scope the scope of the actors that do the work
     * @param here how much is done in this process at the same time, from 1 to 1,000
     * @param handler does a task, which is done when it returns. It is interrupted if the task is taken from this process
     * @return the actor that looks for work. It ends with its scope; when it is stopped, what is at work ends within
     *     ten seconds, or is interrupted and given back: that attempt does not count
     * @throws IllegalStateException if the queue has been started in this process, or other actors have its name
     */
    public Actor<?, ?> start(ActorScope scope, int here, Handler<? super Task<W>> handler) {
        return new QueueWorker<>(this, Objects.requireNonNull(scope, "scope"), checked(here),
                Objects.requireNonNull(handler, "handler")).start();
    }

    // ---- For the worker. ----

    Spec<Item, Item> spec() {
        return items.spec();
    }

    DurableStore store() {
        return spec().store();
    }

    String name() {
        return spec().name();
    }

    Newest<Item> load(Id id) throws InterruptedException {
        return log.newest(id, store().load(id));
    }

    /** Reads a task of which a turn was handed to the store, and fails if somebody else has changed its reminder. */
    Newest<Item> readAgain(Reminder mine) throws InterruptedException {
        store().awaitWriter();
        var item = load(mine.id());
        if (store().read(journal -> journal.reminder(mine.id(), mine.name()))
                .filter(now -> now.tries().equals(mine.tries())).isEmpty()) {
            throw changed(mine.id());
        }
        return item;
    }

    private FencedException changed(Id id) {
        return new FencedException(
                id.key() + " of the queue " + name() + " was changed by another process");
    }

    /** Tells whether a turn is the newest one of its key: the store may have written it and not have said so. */
    boolean isNewest(Turn turn) throws InterruptedException {
        var newest = load(turn.id());
        return newest.revision() == turn.revision()
                && turn.snapshot().filter(now -> Arrays.equals(now.state(),
                        Frames.sealed(codec.encode(newest.state())))).isPresent();
    }

    /** The tasks at work have a key without a name, which no list shows. */
    private Id atWorkId() {
        return new Id(name(), "");
    }

    Newest<AtWork> atWork() throws InterruptedException {
        return logOfAtWork.newest(atWorkId(), store().load(atWorkId()));
    }

    /** Writes what is at work. Returns false if another process has written it meanwhile. */
    boolean write(AtWork atWork, long after, Instant now) throws InterruptedException {
        return !write(
                List.of(turn(atWorkId(), after, codecOfAtWork.encode(atWork), now, List.of(), Set.of())))
                .isEmpty();
    }

    /** Returns the next turn of a task. Of one that is done, nothing but its receipt is left. */
    Turn turn(Id id, long after, Item item, Instant now, List<Reminder> reminders) {
        return turn(id, after, codec.encode(item), now, reminders,
                item.isDone() ? Set.of(item.tenant()) : Set.of());
    }

    private static Turn turn(Id id, long after, byte[] state, Instant now, List<Reminder> reminders,
            Set<String> forgotten) {
        return TurnSize.checked(
                new Turn(id, after + 1, now, Frames.NONE, List.of(), Frames.NONE, reminders, forgotten,
                        Optional.of(new Snapshot(after + 1, Frames.sealed(state))), false));
    }

    /** Writes turns of different keys together. Returns the keys of those that are written: others were changed by another process. */
    Set<Id> write(List<Turn> turns) throws InterruptedException {
        var written = new HashSet<Id>();
        for (var write : turns.stream().map(turn -> Map.entry(turn.id(), append(turn))).toList()) {
            try {
                write.getValue().await();
                written.add(write.getKey());
            } catch (FencedException e) {
                // It is not among those that are returned.
            }
        }
        return written;
    }

    Sequence append(Turn turn) {
        var sequence = new Sequence(turn.revision() - 1);
        store().append(turn, sequence, () -> changed(turn.id()));
        return sequence;
    }

    /**
     * The state of a task. The work itself is in its reminder, until it is done.
     *
     * @param tenant the name of the reminder
     * @param progress what the handler has noted
     */
    record Item(String tenant, String progress, boolean isDone) {
        static final Item FIRST = new Item("", "", false);
    }

    /**
     * A task as its handler sees it.
     *
     * @param <W> type of the work
     */
    public static final class Task<W> {
        private final DurableQueue<W> queue;
        private final Reminder reminder;
        private final W work;
        private Newest<Item> item;
        /** Whether it is unknown if the store has the last progress. */
        private boolean isUnsure;

        Task(DurableQueue<W> queue, Reminder reminder, W work, Newest<Item> item) {
            this.queue = queue;
            this.reminder = reminder;
            this.work = work;
            this.item = item;
        }

        /** Returns what the store has of the task, and fails if the task was taken from this process. */
        Newest<Item> item() throws InterruptedException {
            if (isUnsure) {
                item = queue.readAgain(reminder);
                isUnsure = false;
            }
            return item;
        }

        /** {@return the id under which the task was handed in: the same in all attempts} */
        public String id() {
            return reminder.id().key();
        }

        /** {@return the work} */
        public W work() {
            return work;
        }

        /**
         * {@return the number of this attempt since the task was handed in, or sent again after it was parked; 1 for the
         * first one} Attempts whose process has ended count; those that were given back when a queue was stopped do not.
         */
        public int attempt() {
            return reminder.tries().failed() + 1;
        }

        /** {@return what was noted last, also by an earlier attempt; empty if there is nothing} */
        public String progress() {
            return item.state().progress();
        }

        /**
         * Notes how far the task is. It is durable when this method returns, and the {@link Receipt} has it. Called
         * by the thread of the handler.
         *
         * @param progress the progress
         * @throws InterruptedException if the thread was interrupted
         * @throws FencedException if the task was taken from this process
         * @throws ActorException if the store fails
         */
        public void progress(String progress) throws InterruptedException {
            var next = new Item(reminder.name(), progress, false);
            var now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
            var written = queue.append(queue.turn(reminder.id(), item().revision(), next, now, List.of()));
            isUnsure = true;
            try {
                written.await();
                item = new Newest<>(next, item.revision() + 1, 0);
                isUnsure = false;
            } catch (FencedException e) {
                isUnsure = false;
                throw e;
            }
        }
    }

    /**
     * How far a task is.
     *
     * @param state the state
     * @param failed how many attempts have failed, if it is not done
     * @param reason why the last one has failed; empty if none has
     * @param progress what the handler has noted last
     */
    public record Receipt(State state, int failed, String reason, String progress) {
        /** The states of a task. */
        public enum State {
            /** It is to be done at its time, or again. */
            WAITING,
            /** A process does it. */
            AT_WORK,
            /** The handler has returned. */
            DONE,
            /** It was tried often enough. */
            PARKED,
            /** It was parked, and then dropped. */
            DROPPED
        }
    }
}
