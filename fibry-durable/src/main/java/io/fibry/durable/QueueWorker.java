package io.fibry.durable;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorException;
import io.fibry.ActorScope;
import io.fibry.FailurePolicy.Backoff;
import io.fibry.durable.AtWork.Held;
import io.fibry.durable.DurableQueue.Item;
import io.fibry.durable.DurableQueue.Task;
import io.fibry.durable.DurableStore.Figure;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Slices;
import io.fibry.durable.Journal.Snapshot;
import io.fibry.durable.Journal.Turn;
import io.fibry.durable.LogReader.Newest;
import io.fibry.function.Handler;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does the work of a queue in this process, as the handler of one actor; each task is done by an actor of its own.
 * This actor looks for work when some was handed in here, when some has ended, and once a second, or more often if what
 * is at work is to be given back soon.
 *
 * <p>A task is in the store as a reminder, whose time is that of the next attempt. A worker enters it in {@link
 * AtWork}, and then reads its reminder again: whoever did the task before has first written how that ended, and then
 * removed the entry. So does this worker: the end is a turn of the task's key. If it has an entry of a task that it
 * does not do, the process ended in between, or the entry was taken over: that attempt has failed, unless the reminder
 * tells that its end was written. A worker that was taken over although it is alive is fenced at the key of the task.
 */
final class QueueWorker<W> implements Groups.Target {
    private static final Logger LOG = LoggerFactory.getLogger(QueueWorker.class);
    /** How long a task may take that is under way when the queue is closed. */
    static final Duration LONGEST = Duration.ofSeconds(10);
    private static final Duration MOMENT = Duration.ofMillis(500);
    /** When to look for what other processes have handed in. */
    private static final Duration LATER = Duration.ofSeconds(1);
    private static final Duration LOOK_FOR_PARKED = Duration.ofSeconds(30);
    private static final Backoff RETRIES = new Backoff(Duration.ofMillis(100), LATER, 0);
    private static final int PAGE = 100;
    /** How many names of tenants are read at a time. */
    private static final int NAMES = 250;
    /** How often names are read for a look. */
    private static final int MOST_PAGES = 20;

    private final DurableQueue<W> queue;
    private final DurableStore store;
    private final ActorScope scope;
    private final int here;
    private final Handler<? super Task<W>> handler;
    private final String me = UUID.randomUUID().toString();
    private final DurableLoad load = new DurableLoad();
    /** What is done here, by its ids. Changed by the actor. */
    private final Map<String, Attempt> running = new ConcurrentHashMap<>();
    /** Filled when actors that do work have ended, emptied by this one. */
    private final Queue<Attempt> ended = new ConcurrentLinkedQueue<>();
    /** What this actor has not begun because it does not know whether the store has its entry. */
    private final Set<Held> claimed = new HashSet<>();
    private final AtomicBoolean told = new AtomicBoolean();
    /** Set by the maker, before others know this worker. */
    private volatile Runnable wake = () -> {
    };
    private Newest<AtWork> atWork = new Newest<>(AtWork.NOTHING, 0, 0);
    /** When this process has last shown that it is alive. */
    private long beaten;
    /** When each of the other workers was first seen with its beat. */
    private Map<AtWork.Worker, Long> seen = Map.of();
    /** The tenant whose turn was the last one: the next one has its turn when there is room. */
    private String cursor = "";
    private Instant parkedRead = Instant.MIN;
    private int failed;

    QueueWorker(DurableQueue<W> queue, ActorScope scope, int here, Handler<? super Task<W>> handler) {
        this.queue = queue;
        this.scope = scope;
        this.here = here;
        this.handler = handler;
        store = queue.store();
    }

    Actor<?, ?> start() {
        store.requireOpen();
        store.groups().add(this);
        try {
            // It ends first, while the actors at work have not been stopped.
            var actor =
                    scope.named("queue-" + name()).withoutDefaults().stopPhase(-1).newActor(this::handle);
            wake = () -> actor.sendMessage(Call.WAKE);
            var dumped = scope.addToDumps(() -> store.section("Queue " + name(), name(), load.rows()));
            actor.closeOnExit(dumped::cancel).closeOnExit(this::end);
            wake.run(); // also if wake() was called before there was an actor
            return actor;
        } catch (RuntimeException e) {
            store.groups().remove(this);
            throw e;
        }
    }

    /** Lets the actor look for work, soon. If its last look has failed, it looks after a pause, or when a task has ended. */
    void wake() {
        if (!told.getAndSet(true)) {
            wake.run();
        }
    }

    private enum Call implements StoreCall {
        /** There may be work. */
        WAKE,
        /** It is time to look. */
        LOOK
    }

    private void handle(ActorContext<Call, Void> context, Call call) {
        told.set(false);
        if (call == Call.WAKE && failed > 0 && ended.isEmpty()) {
            return; // the next look comes when the pause is over
        }
        context.timers().once(this, look(), Call.LOOK);
    }

    private Instant now() {
        return scope.time().clock().instant().truncatedTo(ChronoUnit.MILLIS);
    }

    /** Does what there is to do, and returns when to look again. */
    private Duration look() {
        try {
            var next = step();
            failed = 0;
            // A look also shows that this process is alive.
            return running.isEmpty() || next.compareTo(beat()) < 0 ? next : beat();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return LATER;
        } catch (RuntimeException e) {
            failed++;
            LOG.warn("the queue {} stands still: a look for work has failed {} times, and comes again soon",
                    name(), failed,
                    e);
            if (store.isForManyProcesses()
                    && since(beaten).compareTo(beat().multipliedBy(2)) > 0) {
                running.values().forEach(Attempt::cancel); // others take it soon
            }
            return Retries.pause(RETRIES, failed, name());
        }
    }

    /** Returns how often this process shows that it is alive. */
    private Duration beat() {
        return queue.lease.dividedBy(3);
    }

    private Duration since(long nanos) {
        return Duration.ofNanos(scope.time().nanoTime() - nanos);
    }

    private Duration step() throws InterruptedException {
        var freed = settle();
        atWork = queue.atWork();
        claimed.retainAll(atWork.state().of(me));
        takeOver();
        for (var held : atWork.state().of(me)) {
            if (!running.containsKey(held.id()) && freed.add(held) && !claimed.contains(held)) {
                giveUp(held);
            }
        }
        if (Duration.between(parkedRead, now()).abs().compareTo(LOOK_FOR_PARKED) > 0) { // the clock may be put back
            load.readParked(store, name());
            parkedRead = now();
        }
        return take(freed, find(freed));
    }

    // ---- What has ended. ----

    /** Writes how tasks have ended. Returns what is not at work any more. */
    private Set<Held> settle() throws InterruptedException {
        var over = new ArrayList<Attempt>();
        for (var attempt = ended.poll(); attempt != null; attempt = ended.poll()) {
            if (running.get(attempt.held.id()) == attempt) { // else it was taken from this process
                over.add(attempt);
            }
        }
        try {
            var turns = over.stream().flatMap(attempt -> attempt.outcome.stream()).toList();
            var written = write(turns);
            turns.stream().map(Turn::id).filter(id -> !written.contains(id)).forEach(id -> LOG.warn(
                    "what {} of the queue {} has come to does not count: it was taken from this process",
                    id.key(), name()));
        } catch (InterruptedException | RuntimeException e) {
            ended.addAll(over);
            throw e;
        }
        over.forEach(attempt -> running.remove(attempt.held.id()));
        return over.stream().map(attempt -> attempt.held).collect(Collectors.toCollection(HashSet::new));
    }

    private Set<Id> write(List<Turn> turns) throws InterruptedException {
        var written = queue.write(turns);
        for (var turn : turns) {
            if (!written.contains(turn.id()) && queue.isNewest(turn)) {
                written.add(turn.id());
            }
        }
        if (turns.stream().flatMap(turn -> turn.reminders().stream()).anyMatch(Reminder::isParked)) {
            parkedRead = Instant.MIN;
        }
        return written;
    }

    /** Takes what other workers have that have ended, and lets go what was taken from this one. */
    private void takeOver() throws InterruptedException {
        var mine = Set.copyOf(atWork.state().of(me));
        running.values().stream().filter(attempt -> !mine.contains(attempt.held)).forEach(attempt -> {
            attempt.cancel();
            running.remove(attempt.held.id());
        });
        var before = seen;
        seen = atWork.state().workers().stream().filter(worker -> !worker.id().equals(me))
                .collect(Collectors.toMap(worker -> worker,
                        worker -> before.getOrDefault(worker, scope.time().nanoTime())));
        var gone = seen.entrySet().stream()
                .filter(each -> !store.isForManyProcesses()
                        || since(each.getValue()).compareTo(queue.lease) >= 0)
                .map(Map.Entry::getKey).collect(Collectors.toSet());
        if (!gone.isEmpty()) {
            LOG.warn(
                    "{} processes that have worked for the queue {} have ended: what they had at work is taken over",
                    gone.size(), name());
            change(now -> now.takenOver(me, gone));
        }
    }

    /** Notes that an attempt has failed because its process has ended, unless its end was written. */
    private void giveUp(Held held) throws InterruptedException {
        var item = queue.load(new Id(name(), held.id()));
        var reminder = current(held);
        if (reminder.isPresent()) {
            write(List.of(failed(reminder.get(), item,
                    new ActorException("the process that did it has ended, or was cut off from the store"))));
        }
    }

    /** Returns the reminder of a task if the attempt that a worker has entered has not ended. */
    private Optional<Reminder> current(Held held) throws InterruptedException {
        return store.read(journal -> journal.reminder(new Id(name(), held.id()), held.tenant()))
                .filter(now -> now.tries().failed() == held.failed() && !now.tries().next().isAfter(now()));
    }

    private Turn failed(Reminder reminder, Newest<Item> item, Throwable failure) {
        var again = reminder.with(Retries.failed(queue.spec().settings().parking,
                "the task " + reminder.id().key() + " of " + name(), reminder.tries(), failure, now()));
        return queue.turn(reminder.id(), item.revision(), item.state(), now(), List.of(again));
    }

    // ---- What begins. ----

    /** Changes what is at work, as often as other processes are faster. */
    private void change(UnaryOperator<AtWork> change) throws InterruptedException {
        for (var next = change.apply(atWork.state()); !next.equals(atWork.state()); next =
                change.apply(atWork.state())) {
            long now = scope.time().nanoTime();
            if (queue.write(next, atWork.revision(), now())) {
                beaten = now;
                atWork = new Newest<>(next, atWork.revision() + 1, 0);
                return;
            }
            atWork = queue.atWork();
        }
    }

    /** Looks for work that may begin now, or soon. Returns it in the order in which it is to begin. */
    private Found find(Set<Held> freed) throws InterruptedException {
        var state = atWork.state();
        var others = state.all().filter(held -> !freed.contains(held)).toList();
        var now = now();
        var until = now.plus(LATER);
        int page = PAGE + others.size(); // what is at work is read as well
        var due = store.read(journal -> journal.due(name(), Slices.ALL, until, page));
        boolean isAll = !Reminder.isFull(due, page);
        deleteReceipts(isAll ? due.stream().filter(QueueWorker::isReceipt).toList()
                : store.read(journal -> journal.dueByName(name(), DurableQueue.RECEIPT, now, PAGE)));
        var byTenant = new TreeMap<String, List<Reminder>>();
        due.stream().filter(each -> !isReceipt(each) && !state.has(each.id().key()))
                .forEach(each -> byTenant.computeIfAbsent(each.name(), name -> new ArrayList<>()).add(each));
        var turns = new LinkedHashMap<String, List<Reminder>>();
        var reached = isAll ? Optional.<String>empty() : addTurns(turns, others, now);
        for (var next : List.of(byTenant.tailMap(cursor, false), byTenant.headMap(cursor, true))) {
            next.forEach((tenant, work) -> turns.merge(tenant, work,
                    (one, other) -> one.size() < other.size() ? other : one));
        }
        int most = turns.values().stream().mapToInt(List::size).max().orElse(0);
        return new Found(IntStream.range(0, most).boxed().flatMap(
                i -> turns.values().stream().filter(of -> i < of.size()).map(of -> of.get(i))).toList(),
                reached);
    }

    private static boolean isReceipt(Reminder reminder) {
        return reminder.name().equals(DurableQueue.RECEIPT);
    }

    private void deleteReceipts(List<Reminder> receipts) throws InterruptedException {
        var ids = receipts.stream().map(Reminder::id).toList();
        var revisions = ids.isEmpty() ? Map.<Id, Long>of() : store.read(journal -> journal.revisions(ids));
        queue.write(ids.stream().map(id -> {
            long revision = revisions.getOrDefault(id, 0L) + 1;
            return new Turn(id, revision, now(), Frames.DELETED, List.of(), Frames.NONE, List.of(), Set.of(),
                    Optional.of(new Snapshot(revision, Frames.NONE)), true);
        }).toList());
    }

    /**
     * Adds work of the tenants that come next, if more is due than was read. There may be very many tenants that have no
     * work for now, so a look reads some of their names only. Returns the last one of these, if others come behind it.
     */
    private Optional<String> addTurns(Map<String, List<Reminder>> turns, List<Held> others, Instant now)
            throws InterruptedException {
        long mine = others.stream().filter(held -> running.containsKey(held.id())).count();
        long free = Math.min(PAGE, Math.min(here - mine, queue.most - others.size()));
        var place = cursor;
        var first = "";
        int reads = 0;
        boolean isSecondRound = false;
        for (int i = 0; i < MOST_PAGES && turns.size() < free; i++) {
            var after = place;
            var page = store.read(journal -> journal.names(name(), after, NAMES));
            for (var each : page) {
                if (isSecondRound && each.name().equals(first)) {
                    return Optional.empty();
                }
                place = each.name();
                first = first.isEmpty() ? place : first;
                if (!each.next().isAfter(now) && !place.equals(DurableQueue.RECEIPT)
                        && others.stream().filter(of(place)).count() < queue.ofTenant) {
                    addTurn(turns, place, now, (int) free);
                    reads++;
                }
                if (turns.size() == free) {
                    return Optional.empty();
                }
                if (reads == PAGE) {
                    return Optional.of(place);
                }
            }
            if (page.size() < NAMES) {
                if (isSecondRound) {
                    return Optional.empty();
                }
                isSecondRound = true;
                place = "";
            }
        }
        return free > 0 ? Optional.of(place) : Optional.empty();
    }

    private static Predicate<Held> of(String tenant) {
        return held -> held.tenant().equals(tenant);
    }

    private void addTurn(Map<String, List<Reminder>> turns, String tenant, Instant now, int free)
            throws InterruptedException {
        var state = atWork.state();
        int most = free + (int) state.ofTenant(tenant);
        var next = store.read(journal -> journal.dueByName(name(), tenant, now, most)).stream()
                .filter(each -> !state.has(each.id().key())).toList();
        if (!next.isEmpty()) {
            turns.put(tenant, next);
        }
    }

    /** Begins tasks, and returns when to look again. */
    private Duration take(Set<Held> freed, Found found) throws InterruptedException {
        boolean beats = since(beaten).compareTo(beat()) >= 0;
        var now = now();
        var due = found.work().stream().filter(each -> !each.tries().next().isAfter(now)).toList();
        change(before -> {
            var mine = new ArrayList<>(before.of(me));
            boolean isChanged = mine.removeAll(freed) || (beats && !mine.isEmpty());
            claimed.clear();
            var next = before.with(me, mine);
            for (var each : due) {
                var held = new Held(each.id().key(), each.name(), each.tries().failed());
                // A task that was just given back would be given back again, for instance if the scope has no room.
                if (!freed.contains(held) && mine.size() < here && next.all().count() < queue.most
                        && next.ofTenant(held.tenant()) < queue.ofTenant && !next.has(held.id())) {
                    mine.add(held);
                    claimed.add(held);
                    next = before.with(me, mine);
                    isChanged = true;
                }
            }
            return isChanged ? next : before;
        });
        load.first = due.stream().filter(each -> !atWork.state().has(each.id().key()))
                .map(each -> each.tries().next()).min(Instant::compareTo);
        var begun = atWork.state().of(me).stream().filter(held -> !running.containsKey(held.id())).toList();
        begun.forEach(this::start);
        cursor = found.reached().orElse(begun.isEmpty() ? cursor : begun.getLast().tenant());
        return !begun.isEmpty() ? Duration.ZERO
                : found.work().stream().map(each -> Duration.between(now, each.tries().next()))
                        .filter(Duration::isPositive).min(Duration::compareTo).orElse(LATER);
    }

    /**
     * Work that may begin now, or soon.
     *
     * @param work the work, in the order in which it is to begin: some of each tenant, and then more of each
     * @param reached the last tenant that was looked at, if others come behind it
     */
    private record Found(List<Reminder> work, Optional<String> reached) {
    }

    private void start(Held held) {
        Actor<Attempt, Boolean> actor =
                scope.anonymous().withoutDefaults().interruptOnCancel().newActorWithReturn(this::run);
        var attempt = new Attempt(held);
        attempt.over = actor.onStopped().thenRun(() -> {
            ended.add(attempt);
            wake();
        });
        running.put(held.id(), attempt);
        claimed.remove(held);
        try {
            attempt.answer = actor.sendMessageReturn(attempt);
        } finally { // the scope may have no room for the attempt
            actor.sendPoisonPill();
        }
    }

    /** Does a task, as the handler of an actor of its own. */
    private Boolean run(Attempt attempt) {
        try {
            attempt.outcome = outcome(attempt);
        } catch (InterruptedException | RuntimeException e) {
            LOG.debug("{} of {} could not be read, and is given back", attempt.held.id(), name(), e);
        }
        return true;
    }

    /** Does a task, and returns the turn that tells how this has ended; empty if it was not to be done, or is given back. */
    private Optional<Turn> outcome(Attempt attempt) throws InterruptedException {
        var item = queue.load(new Id(name(), attempt.held.id()));
        // The reminder is the last thing that is read: so the rest is not older.
        var found = current(attempt.held);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        var reminder = found.get();
        W work;
        try {
            work = decode(reminder.message());
        } catch (RuntimeException | Error e) { // of the program: a record that cannot be made
            return Optional.of(failed(reminder, item, e));
        }
        var task = new Task<>(queue, reminder, work, item);
        try {
            handler.handle(task);
        } catch (Throwable e) { // it is kept as the reason, and the log has it
            return attempt.isCancelled ? Optional.empty() : Optional.of(failed(reminder, task.item(), e));
        }
        return Optional.of(queue.turn(reminder.id(), task.item().revision(),
                new Item(reminder.name(), task.progress(), true), now(),
                List.of(new Reminder(reminder.id(), DurableQueue.RECEIPT,
                        now().plus(queue.spec().settings().ids), "", Frames.NONE))));
    }

    private static final class Attempt {
        final Held held;
        /** Written by the worker, which alone reads them. */
        CompletableFuture<?> over = new CompletableFuture<>();
        CompletableFuture<?> answer = new CompletableFuture<>();
        /** Written by the worker, before it interrupts. */
        volatile boolean isCancelled;
        /** Written by the actor that does the task; empty if that was not to be done, or is given back. */
        Optional<Turn> outcome = Optional.empty();

        Attempt(Held held) {
            this.held = held;
        }

        void cancel() {
            isCancelled = true;
            answer.cancel(true);
        }
    }

    // ---- The end. ----

    private void end() {
        boolean isInterrupted = false;
        try {
            try {
                await(LONGEST);
            } catch (InterruptedException e) {
                isInterrupted = true; // the time for the end is over, apart from a moment
            }
            running.values().forEach(Attempt::cancel);
            await(MOMENT);
            var freed = settle();
            freed.addAll(claimed);
            if (!freed.isEmpty()) {
                atWork = queue.atWork();
                change(now -> {
                    var mine = new ArrayList<>(now.of(me));
                    return mine.removeAll(freed) ? now.with(me, mine) : now;
                });
            }
        } catch (InterruptedException e) {
            isInterrupted = true;
        } catch (RuntimeException e) {
            LOG.warn("what was at work of the queue {} could not be given back: it is taken over later",
                    name(), e);
        } finally {
            store.groups().remove(this);
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void await(Duration time) throws InterruptedException {
        try {
            CompletableFuture
                    .allOf(running.values().stream().map(attempt -> attempt.over)
                            .toArray(CompletableFuture<?>[]::new))
                    .get(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("tasks of {} are not over after {}", name(), time, e);
        }
    }

    // ---- The group of the store. ----

    @Override
    public String name() {
        return queue.name();
    }

    @Override
    public String kind() {
        return "a queue";
    }

    @Override
    public W decode(byte[] message) {
        return queue.codec.decode(message, queue.type);
    }

    /** Turns that a snapshot covers are deleted. */
    @Override
    public Optional<Duration> history() {
        return Optional.of(Duration.ZERO);
    }

    @Override
    public void addTo(List<Figure> figures) {
        figures.addAll(List.of(new Figure("queue.working", name(), running.size()),
                new Figure("queue.late.seconds", name(), DurableLoad.seconds(load.first, now())),
                new Figure("parked", name(), load.parked)));
    }
}
