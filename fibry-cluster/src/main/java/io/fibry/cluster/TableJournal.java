package io.fibry.cluster;

import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.Stereotypes;
import io.fibry.cluster.engine.ClusterEngine;
import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.cluster.engine.NotServedException;
import io.fibry.durable.Journal;
import io.fibry.durable.KeyLog;
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
import java.util.Optional;
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
     * @param isUnsent whether messages of a turn are to be sent
     * @param reminder when the first reminder is due, in milliseconds
     * @param log the log as bytes
     */
    private record Entry(UUID token, boolean isUnsent, long reminder, byte[] log) {
        private static final int HEAD = 3 * Long.BYTES + 1;

        static Entry of(KeyLog log) {
            return new Entry(UUID.randomUUID(), !log.unsent().isEmpty(),
                    log.reminders().stream().mapToLong(reminder -> reminder.at().toEpochMilli()).min()
                            .orElse(Long.MAX_VALUE),
                    log.bytes());
        }

        static Entry read(byte[] bytes) {
            var in = ByteBuffer.wrap(bytes);
            return new Entry(new UUID(in.getLong(), in.getLong()), in.get() == 1, in.getLong(),
                    Arrays.copyOfRange(bytes, HEAD, bytes.length));
        }

        byte[] bytes() {
            return ByteBuffer.allocate(HEAD + log.length).putLong(token.getMostSignificantBits())
                    .putLong(token.getLeastSignificantBits()).put((byte) (isUnsent ? 1 : 0))
                    .putLong(reminder).put(log).array();
        }
    }

    private static String table(String group) {
        return "durable/" + group;
    }

    /**
     * Changes the log of a key, or changes nothing of it and so makes sure that the majority has it.
     *
     * @param edit called for each try; returns the result of a try that the majority acknowledges
     */
    private <T> T change(Id id, Function<KeyLog, T> edit) throws InterruptedException {
        var table = table(id.group());
        var end = scope.time().nanoTime() + Durations.boundedNanos(limit, "limit");
        // By token: any of these may have been made though it was refused or its outcome is unknown, also later than the next one was tried.
        var tried = new HashMap<UUID, T>();
        var isUnknown = false;
        for (long attempt = 0;; attempt++) {
            var before = read(() -> Optional.ofNullable(engine.get(table, id.key())));
            var there = before.map(Entry::read);
            var log = there.map(entry -> KeyLog.read(id, entry.log)).orElseGet(KeyLog::new);
            // If one of them is there, it is made sure of.
            var made = there.flatMap(entry -> Optional.ofNullable(tried.get(entry.token)));
            var result = made.isPresent() ? made.orElseThrow() : edit.apply(log);
            var next = Entry.of(log);
            tried.put(next.token, result);
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

    /** Does something for each key, for many at the same time. */
    private <T> Map<Id, T> each(Collection<Id> ids, Work<T> work) throws Exception {
        var results = new ConcurrentHashMap<Id, T>();
        var waiting = new ConcurrentLinkedQueue<>(ids);
        var workers = new ArrayList<CompletableFuture<Void>>();
        for (int worker = 1; worker < Math.min(ids.size(), MOST_AT_ONCE); worker++) {
            var done = new CompletableFuture<Void>();
            workers.add(done);
            Stereotypes.with(scope.anonymous().strategy(CreationStrategy.fibers()))
                    .runOnce(() -> end(done, () -> work(waiting, work, results)));
        }
        var own = new CompletableFuture<Void>();
        end(own, () -> work(waiting, work, results));
        try {
            for (var done : workers) {
                done.get();
            }
            own.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        }
        return results;
    }

    private static <T> Void work(ConcurrentLinkedQueue<Id> waiting, Work<T> work, Map<Id, T> results)
            throws Exception {
        for (var id = waiting.poll(); id != null; id = waiting.poll()) {
            results.put(id, work.of(id));
        }
        return null;
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
        var found = each(ids, id -> change(id, KeyLog::loaded));
        found.values().removeIf(loaded -> loaded.snapshot().isEmpty() && loaded.turns().isEmpty());
        return found;
    }

    @Override
    public Map<Id, Long> revisions(Collection<Id> ids) throws Exception {
        var found = each(ids, id -> change(id, KeyLog::revision));
        found.values().removeIf(revision -> revision == 0);
        return found;
    }

    @Override
    public BitSet commit(List<Turn> turns) throws Exception {
        var places = new LinkedHashMap<Id, List<Integer>>();
        for (int i = 0; i < turns.size(); i++) {
            places.computeIfAbsent(turns.get(i).id(), id -> new ArrayList<>()).add(i);
        }
        var written = new BitSet();
        for (var bits : each(places.keySet(),
                id -> change(id, log -> add(log, turns, places.getOrDefault(id, List.of()))))
                .values()) {
            written.or(bits);
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
    public List<Turn> unsent(String group, Slices slices, int most) throws Exception {
        var found = new ArrayList<Turn>();
        for (var id : ids(group, slices, Entry::isUnsent)) {
            if (found.size() < most) {
                found.addAll(change(id, KeyLog::unsent));
            }
        }
        return found.size() > most ? found.subList(0, most) : found;
    }

    @Override
    public List<Reminder> due(String group, Slices slices, Instant until, int most) throws Exception {
        var found = new ArrayList<Reminder>();
        for (var id : ids(group, slices, entry -> !Instant.ofEpochMilli(entry.reminder).isAfter(until))) {
            for (var reminder : change(id, KeyLog::reminders)) {
                if (!reminder.at().isAfter(until)) {
                    found.add(reminder);
                }
            }
        }
        return found.stream().sorted(Comparator.comparing(Reminder::at)).limit(most).toList();
    }

    private List<Id> ids(String group, Slices slices, Predicate<Entry> condition)
            throws InterruptedException {
        var found = new ArrayList<Id>();
        read(() -> engine.all(table(group))).forEach((key, bytes) -> {
            var id = new Id(group, key);
            if (slices.contains(id) && condition.test(Entry.read(bytes))) {
                found.add(id);
            }
        });
        return found;
    }

    @Override
    public Optional<Reminder> reminder(Id id, String name) throws Exception {
        return change(id, log -> log.reminder(name));
    }

    @Override
    public List<Turn> history(Id id, long after, int most) throws Exception {
        return change(id, KeyLog::turns).stream().filter(turn -> turn.revision() > after).limit(most)
                .toList();
    }

    @Override
    public int compact(String group, Instant before) {
        return 0; // each change has done so
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
