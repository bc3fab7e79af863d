package io.fibry.cluster;

import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.Stereotypes;
import io.fibry.cluster.engine.ClusterEngine;
import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.cluster.engine.NotServedException;
import io.fibry.durable.Journal;
import io.fibry.durable.KeyLog;
import io.fibry.durable.UnsettledTurnsException;
import io.fibry.internal.clock.Durations;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Keeps the logs of durable actors in the tables of an engine, in the memory of all nodes. A key has one entry, which is changed by
 * compare-and-set of the majority: its log, and in front of it what is looked for in all entries.
 *
 * <p>A node's own copy of an entry may be old, or a change of a dying node that never becomes effective. So no answer comes of a copy: what is
 * read is first changed into itself, with another token, and that is acknowledged only if the majority has what was read.
 */
final class TableJournal implements Journal {
    /** How many keys are changed at the same time. */
    private static final int MOST_AT_ONCE = 64;
    /** How many bytes a turn may have. All nodes have all entries in memory, and an entry is sent to each with each change. */
    private static final int LARGEST_TURN = 1 << 20;
    /** So many handled messages of a key are known. They are in its entry, which is sent to all nodes with each change. */
    private static final int MOST_HANDLED = 1_000;
    private static final long LONGEST_PAUSE = 20;

    private final ClusterEngine engine;
    private final ActorScope scope;
    private final Duration limit;

    TableJournal(ClusterEngine engine, ActorScope scope, Duration limit) {
        this.engine = engine;
        this.scope = scope;
        this.limit = limit;
    }

    /**
     * An entry of a table.
     *
     * @param token a value of its own, so that no two entries are equal
     * @param changes how many changes of the log there were, and the marks of the newest ones
     * @param isUnsent whether messages of a turn are to be sent
     * @param reminder when the first reminder is to be sent, in milliseconds
     * @param handled when the oldest of the messages was handled of which something is kept, in milliseconds
     * @param log the log as bytes
     */
    private record Entry(UUID token, Changes changes, boolean isUnsent, long reminder, long handled,
            byte[] log) {
        static Entry of(KeyLog log, Changes changes) {
            return new Entry(UUID.randomUUID(), changes, !log.unsent().isEmpty(),
                    log.reminders().stream().mapToLong(each -> each.tries().next().toEpochMilli()).min()
                            .orElse(Long.MAX_VALUE),
                    log.oldestHandled().map(Instant::toEpochMilli).orElse(Long.MAX_VALUE),
                    log.bytes());
        }

        static Entry read(byte[] bytes) {
            var in = ByteBuffer.wrap(bytes);
            var token = new UUID(in.getLong(), in.getLong());
            var changes = Changes.read(in);
            var isUnsent = in.get() == 1;
            return new Entry(token, changes, isUnsent, in.getLong(), in.getLong(),
                    Arrays.copyOfRange(bytes, in.position(), bytes.length));
        }

        byte[] bytes() {
            var out = ByteBuffer.allocate(4 * Long.BYTES + 1 + changes.size() + log.length)
                    .putLong(token.getMostSignificantBits()).putLong(token.getLeastSignificantBits());
            changes.write(out);
            return out.put((byte) (isUnsent ? 1 : 0)).putLong(reminder).putLong(handled).put(log).array();
        }
    }

    /**
     * The changes of a log. A change is tried again when its outcome is not known, so it must find out whether it was made, also when others have changed the
     * log since.
     *
     * @param count how many there were
     * @param marks the marks of the newest ones, the newest last
     */
    private record Changes(long count, List<Long> marks) {
        static final Changes NONE = new Changes(0, List.of());
        /** As many as other nodes may make during the tries of one change. */
        private static final int MOST = 8;

        static Changes read(ByteBuffer in) {
            var count = in.getLong();
            var marks = new ArrayList<Long>();
            for (int left = in.get(); left > 0; left--) {
                marks.add(in.getLong());
            }
            return new Changes(count, marks);
        }

        void write(ByteBuffer out) {
            out.putLong(count).put((byte) marks.size());
            marks.forEach(out::putLong);
        }

        int size() {
            return Long.BYTES * (1 + marks.size()) + 1;
        }

        Changes with(long mark) {
            var next = new ArrayList<>(marks);
            next.add(mark);
            return new Changes(count + 1,
                    List.copyOf(next.subList(Math.max(0, next.size() - MOST), next.size())));
        }

        /** Whether the marks of all changes after that many are there. */
        boolean hasAllSince(long before) {
            return count - before <= marks.size();
        }
    }

    private static String table(String group) {
        return "durable/" + group;
    }

    /** Reads the log of a key, as the majority has it: the entry gets another token, and nothing else changes. */
    private <T> T look(Id id, Function<KeyLog, T> reading) throws InterruptedException {
        return replace(id, false, reading);
    }

    /** Changes the log of a key. */
    private <T> T change(Id id, Function<KeyLog, T> edit) throws InterruptedException {
        return replace(id, true, edit);
    }

    /**
     * Replaces the entry of a key.
     *
     * @param isChange whether the log is changed, so that it must not be done twice
     * @param edit called for each try; returns the result of a try that the majority acknowledges
     */
    private <T> T replace(Id id, boolean isChange, Function<KeyLog, T> edit) throws InterruptedException {
        var table = table(id.group());
        var end = scope.time().nanoTime() + Durations.boundedNanos(limit, "limit");
        // By mark: any of these may have been made though it was refused or its outcome is unknown, also later than the next one was tried.
        var tried = new HashMap<Long, T>();
        var countAtFirst = 0L;
        var isUnknown = false;
        for (long attempt = 0;; attempt++) {
            var before = read(() -> Optional.ofNullable(engine.get(table, id.key())));
            var there = before.map(Entry::read);
            var changes = there.map(Entry::changes).orElse(Changes.NONE);
            var log = there.map(entry -> KeyLog.read(id, entry.log)).orElseGet(KeyLog::new);
            if (attempt == 0) {
                countAtFirst = changes.count;
            }
            var made = changes.marks.stream().filter(tried::containsKey).findAny();
            T result;
            if (made.isPresent()) { // it is made sure of
                result = Objects.requireNonNull(tried.get(made.get()));
            } else if (!tried.isEmpty() && !changes.hasAllSince(countAtFirst)) {
                throw new IllegalStateException("it is not known whether " + id.group() + " " + id.key()
                        + " was changed: others have changed it too often since");
            } else {
                result = edit.apply(log);
                if (isChange) {
                    var mark = UUID.randomUUID().getLeastSignificantBits();
                    tried.put(mark, result);
                    changes = changes.with(mark);
                }
            }
            var next = Entry.of(log, changes);
            var outcome = compareAndSet(table, id.key(), before, next);
            if (outcome == Outcome.DONE) {
                if (before.isEmpty() && log.revision() == 0) {
                    // The key was only looked at. If this is refused, it has been written meanwhile.
                    var unused = engine.compareAndSet(table, id.key(), next.bytes(), null);
                }
                return result;
            }
            isUnknown |= outcome == Outcome.UNKNOWN;
            if (scope.time().nanoTime() - end > 0) {
                throw new IllegalStateException(isUnknown
                        ? "the cluster has not said within " + limit + " whether " + id.group() + " "
                                + id.key()
                                + " was changed"
                        : "the entry of " + id.group() + " " + id.key()
                                + " was changed by others again and again for " + limit);
            }
            Thread.sleep(Math.min(attempt, LONGEST_PAUSE));
        }
    }

    /** Changes an entry. An engine that denies its tables although this node sees the majority has changed nothing, and is asked again. */
    private Outcome compareAndSet(String table, String key, Optional<byte[]> before, Entry next) {
        try {
            return engine.compareAndSet(table, key, before.orElse(null), next.bytes());
        } catch (NotServedException denied) {
            if (engine.view().majority()) {
                return Outcome.REFUSED;
            }
            throw denied;
        }
    }

    /** Reads from the engine, which may deny its tables for a moment after others have left, though this node sees the majority. */
    private <T> T read(Supplier<T> reading) throws InterruptedException {
        var end = scope.time().nanoTime() + Durations.boundedNanos(limit, "limit");
        for (long attempt = 1;; attempt++) {
            try {
                return reading.get();
            } catch (NotServedException denied) {
                if (!engine.view().majority() || scope.time().nanoTime() - end > 0) {
                    throw denied;
                }
                Thread.sleep(Math.min(attempt, LONGEST_PAUSE));
            }
        }
    }

    /** Does something for each key, for many at the same time; throws an exception if it has failed for one of them. */
    private <T> Map<Id, T> each(Collection<Id> ids, Work<T> work) throws Exception {
        var failures = new ConcurrentHashMap<Id, Exception>();
        var results = each(ids, work, failures);
        for (var failure : failures.values()) {
            throw failure;
        }
        return results;
    }

    /**
     * Does something for each key, for many at the same time. Nothing of it goes on afterwards.
     *
     * @param failures gets the keys for which it has failed, and why
     */
    private <T> Map<Id, T> each(Collection<Id> ids, Work<T> work, Map<Id, Exception> failures)
            throws Exception {
        var results = new ConcurrentHashMap<Id, T>();
        var waiting = new ConcurrentLinkedQueue<>(ids);
        var end = scope.time().nanoTime() + Durations.boundedNanos(limit, "limit");
        Callable<Void> all = () -> {
            for (var id = waiting.poll(); id != null; id = waiting.poll()) {
                try {
                    if (scope.time().nanoTime() - end > 0) {
                        throw new IllegalStateException("the cluster has not come to " + id.group() + " "
                                + id.key() + " within " + limit + ", and nothing of it was changed");
                    }
                    results.put(id, work.of(id));
                } catch (InterruptedException stopped) {
                    throw stopped;
                } catch (Exception failed) {
                    failures.put(id, failed);
                }
            }
            return null;
        };
        var workers = new ArrayList<CompletableFuture<Void>>();
        for (int worker = 1; worker < Math.min(ids.size(), MOST_AT_ONCE); worker++) {
            var done = new CompletableFuture<Void>();
            workers.add(done);
            Stereotypes.with(scope.anonymous().strategy(CreationStrategy.fibers()))
                    .runOnce(() -> end(done, all));
        }
        var own = new CompletableFuture<Void>();
        workers.add(own);
        end(own, all);
        try {
            CompletableFuture.allOf(workers.toArray(new CompletableFuture<?>[0])).get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        }
        return results;
    }

    private static void end(CompletableFuture<Void> done, Callable<Void> code) {
        try {
            done.complete(code.call());
        } catch (Throwable failure) {
            done.completeExceptionally(failure); // the caller throws it
        }
    }

    /** What is done for a key. */
    private interface Work<T> {
        T of(Id id) throws Exception;
    }

    @Override
    public Map<Id, Loaded> load(Collection<Id> ids) throws Exception {
        var found = each(ids, id -> look(id, KeyLog::loaded));
        found.values().removeIf(loaded -> loaded.snapshot().isEmpty() && loaded.turns().isEmpty());
        return found;
    }

    @Override
    public Map<Id, Long> revisions(Collection<Id> ids) throws Exception {
        var found = each(ids, id -> look(id, KeyLog::revision));
        found.values().removeIf(revision -> revision == 0);
        return found;
    }

    @Override
    public BitSet commit(List<Turn> turns) throws Exception {
        var places = new LinkedHashMap<Id, List<Integer>>();
        for (int i = 0; i < turns.size(); i++) {
            places.computeIfAbsent(turns.get(i).id(), id -> new ArrayList<>()).add(i);
        }
        var failures = new ConcurrentHashMap<Id, Exception>();
        var written = new BitSet();
        each(places.keySet(), id -> change(id, log -> add(log, turns, places.getOrDefault(id, List.of()))),
                failures).values().forEach(written::or);
        if (failures.size() == places.size()) {
            for (var failure : failures.values()) {
                throw failure;
            }
        }
        if (!failures.isEmpty()) {
            var unsettled = new HashMap<Integer, Exception>();
            failures.forEach(
                    (id, why) -> places.getOrDefault(id, List.of())
                            .forEach(place -> unsettled.put(place, why)));
            throw new UnsettledTurnsException(written, unsettled);
        }
        return written;
    }

    private static BitSet add(KeyLog log, List<Turn> turns, List<Integer> places) {
        var written = new BitSet();
        for (int place : places) {
            if (!log.add(turns.get(place))) {
                break; // those behind it are fenced as well
            }
            written.set(place);
        }
        log.keepHandled(MOST_HANDLED);
        // There is no past: what a snapshot covers is of no use.
        log.compact(Instant.MAX);
        return written;
    }

    @Override
    public void sent(Collection<Sent> turns) throws Exception {
        var revisions = new LinkedHashMap<Id, List<Long>>();
        turns.forEach(
                turn -> revisions.computeIfAbsent(turn.id(), id -> new ArrayList<>()).add(turn.revision()));
        var unused = each(revisions.keySet(), id -> change(id, log -> {
            revisions.getOrDefault(id, List.of()).forEach(log::sent);
            return log.compact(Instant.MAX);
        }));
    }

    @Override
    public List<Turn> unsent(String group, Slices slices, Position after, int most) throws Exception {
        var ids = ids(group, slices, Entry::isUnsent).stream()
                .filter(id -> id.key().compareTo(after.key()) >= 0).sorted(Comparator.comparing(Id::key))
                .toList();
        return found(ids, log -> log.unsent().stream().filter(
                turn -> !turn.id().key().equals(after.key()) || turn.revision() > after.revision()).toList(),
                most).stream().limit(most).toList();
    }

    @Override
    public List<Reminder> due(String group, Slices slices, Instant until, int most) throws Exception {
        var ids = ids(group, slices, entry -> !Instant.ofEpochMilli(entry.reminder).isAfter(until));
        return found(ids, log -> log.reminders().stream()
                .filter(each -> !each.tries().next().isAfter(until)).toList(), most).stream()
                .sorted(Comparator.comparing(each -> each.tries().next())).limit(most).toList();
    }

    @Override
    public void postpone(Collection<Reminder> reminders) throws Exception {
        var ofKeys = new LinkedHashMap<Id, List<Reminder>>();
        reminders.forEach(
                reminder -> ofKeys.computeIfAbsent(reminder.id(), id -> new ArrayList<>()).add(reminder));
        var unused = each(ofKeys.keySet(), id -> change(id, log -> {
            ofKeys.getOrDefault(id, List.of()).forEach(log::postpone);
            return true;
        }));
    }

    @Override
    public Map<Message, Handled> handled(Collection<Message> messages) throws Exception {
        var found = new HashMap<Message, Handled>();
        for (var message : messages) {
            look(message.to(), log -> log.handled(message.id()))
                    .ifPresent(handled -> found.put(message, handled));
        }
        return found;
    }

    @Override
    public int expire(String group, Instant before, int most) throws Exception {
        var ids = ids(group, Slices.ALL, entry -> entry.handled < before.toEpochMilli());
        var expired = each(ids.subList(0, Math.min(ids.size(), MOST_AT_ONCE)),
                id -> change(id, log -> log.expire(before, most, this::isUnsent)));
        return Math.min(most, expired.values().stream().mapToInt(Integer::intValue).sum());
    }

    /** Tells whether a turn has messages that were not sent, as far as this node knows: if not, that is so. */
    private boolean isUnsent(Sent turn) {
        var bytes = engine.get(table(turn.id().group()), turn.id().key());
        return bytes != null && KeyLog.read(turn.id(), Entry.read(bytes).log).isUnsent(turn.revision());
    }

    /** Finds something in the logs of keys, until there is enough of it. */
    private <T> List<T> found(List<Id> ids, Function<KeyLog, List<T>> finding, int most) throws Exception {
        var found = new ArrayList<T>();
        for (int from = 0; from < ids.size() && found.size() < most; from += MOST_AT_ONCE) {
            var some = ids.subList(from, Math.min(from + MOST_AT_ONCE, ids.size()));
            var inLogs = each(some, id -> look(id, finding));
            some.forEach(id -> found.addAll(inLogs.getOrDefault(id, List.of())));
        }
        return found;
    }

    /** Returns the keys whose entries on this node meet a condition, those with the first reminders first. */
    private List<Id> ids(String group, Slices slices, Predicate<Entry> condition)
            throws InterruptedException {
        var found = new TreeMap<Long, List<Id>>();
        read(() -> engine.all(table(group))).forEach((key, bytes) -> {
            var id = new Id(group, key);
            if (slices.contains(id)) {
                var entry = Entry.read(bytes);
                if (condition.test(entry)) {
                    found.computeIfAbsent(entry.reminder, missing -> new ArrayList<>()).add(id);
                }
            }
        });
        return found.values().stream().flatMap(List::stream).toList();
    }

    @Override
    public Optional<Reminder> reminder(Id id, String name) throws Exception {
        return look(id, log -> log.reminder(name));
    }

    @Override
    public List<Turn> history(Id id, long after, int most) throws Exception {
        return look(id, KeyLog::turns).stream().filter(turn -> turn.revision() > after).limit(most)
                .toList();
    }

    @Override
    public Step compact(String group, Instant before, Position from, int most) {
        return new Step(0, Optional.empty()); // each change has done so
    }

    @Override
    public boolean isForManyProcesses() {
        return true;
    }

    @Override
    public int largestTurn() {
        return LARGEST_TURN;
    }

    @Override
    public void close() {
        // The engine belongs to the cluster.
    }
}
