package io.fibry.durable;

import java.time.Instant;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/** Keeps the logs in memory, for tests. Two stores may share one journal: they are then as two processes. */
final class MemoryJournal implements Journal {
    private static final Comparator<Sent> PLACES =
            Comparator.<Sent, String>comparing(place -> place.id().key()).thenComparingLong(Sent::revision);
    private static final NavigableSet<Sent> NONE =
            Collections.unmodifiableNavigableSet(new TreeSet<>(PLACES));

    /** Guards the logs. */
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Id, KeyLog> logs = new HashMap<>();
    /** The turns of each group whose outbox is not empty. */
    private final Map<String, NavigableSet<Sent>> unsent = new HashMap<>();

    @Override
    public Map<Id, Loaded> load(Collection<Id> ids) {
        lock.lock();
        try {
            var found = new HashMap<Id, Loaded>();
            for (var id : ids) {
                var log = logs.get(id);
                if (log != null) {
                    found.put(id, log.loaded());
                }
            }
            return found;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Map<Id, Long> revisions(Collection<Id> ids) {
        lock.lock();
        try {
            var found = new HashMap<Id, Long>();
            for (var id : ids) {
                var log = logs.get(id);
                if (log != null) {
                    found.put(id, log.revision());
                }
            }
            return found;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public BitSet commit(List<Turn> turns) {
        lock.lock();
        try {
            var written = new BitSet(turns.size());
            var fenced = new HashSet<Id>();
            for (int i = 0; i < turns.size(); i++) {
                var turn = turns.get(i);
                var log = logs.getOrDefault(turn.id(), new KeyLog());
                if (!fenced.contains(turn.id()) && log.add(turn)) {
                    logs.put(turn.id(), log);
                    written.set(i);
                    if (turn.outbox().length > 0) {
                        unsent.computeIfAbsent(turn.id().group(), group -> new TreeSet<>(PLACES))
                                .add(new Sent(turn.id(), turn.revision()));
                    }
                } else {
                    fenced.add(turn.id());
                }
            }
            return written;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void sent(Collection<Sent> turns) {
        lock.lock();
        try {
            for (var sent : turns) {
                var log = logs.get(sent.id());
                if (log != null) {
                    log.sent(sent.revision());
                    unsent.computeIfAbsent(sent.id().group(), group -> new TreeSet<>(PLACES)).remove(sent);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public List<Turn> unsent(String group, Slices slices, Position after, int most) {
        lock.lock();
        try {
            var all = unsent.getOrDefault(group, NONE);
            return all.tailSet(new Sent(new Id(group, after.key()), after.revision()), false).stream()
                    .filter(turn -> slices.contains(turn.id())).limit(most)
                    .flatMap(turn -> Optional.ofNullable(logs.get(turn.id())).stream()
                            .flatMap(log -> log.turn(turn.revision()).stream()))
                    .toList();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public List<Reminder> due(String group, Slices slices, Instant until, int most) {
        lock.lock();
        try {
            return logsOf(group, slices).flatMap(log -> log.reminders().stream())
                    .filter(reminder -> !reminder.tries().next().isAfter(until))
                    .sorted(Comparator.comparing(reminder -> reminder.tries().next()))
                    .limit(most).toList();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void postpone(Collection<Reminder> reminders) {
        lock.lock();
        try {
            for (var reminder : reminders) {
                var log = logs.get(reminder.id());
                if (log != null) {
                    log.postpone(reminder);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Map<Message, Handled> handled(Collection<Message> messages) {
        lock.lock();
        try {
            var found = new HashMap<Message, Handled>();
            for (var message : messages) {
                var log = logs.get(message.to());
                if (log != null) {
                    log.handled(message.id()).ifPresent(kept -> found.put(message, kept));
                }
            }
            return found;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int expire(String group, Instant before, int most) {
        lock.lock();
        try {
            int deleted = 0;
            for (var entry : logs.entrySet()) {
                if (entry.getKey().group().equals(group)) {
                    deleted += entry.getValue().expire(before, most - deleted, this::isUnsent);
                }
            }
            return deleted;
        } finally {
            lock.unlock();
        }
    }

    private boolean isUnsent(Sent turn) {
        return unsent.getOrDefault(turn.id().group(), NONE).contains(turn);
    }

    private Stream<KeyLog> logsOf(String group, Slices slices) {
        return logs.entrySet().stream()
                .filter(entry -> entry.getKey().group().equals(group) && slices.contains(entry.getKey()))
                .map(Map.Entry::getValue);
    }

    @Override
    public Optional<Reminder> reminder(Id id, String name) {
        lock.lock();
        try {
            var log = logs.get(id);
            return log == null ? Optional.empty() : log.reminder(name);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isForManyProcesses() {
        return true;
    }

    @Override
    public List<Turn> history(Id id, long after, int most) {
        lock.lock();
        try {
            var log = logs.get(id);
            return log == null ? List.of()
                    : log.turns().stream().filter(turn -> turn.revision() > after).limit(most).toList();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Step compact(String group, Instant before, Position from, int most) {
        lock.lock();
        try {
            int deleted = 0;
            for (var entry : logs.entrySet()) {
                if (entry.getKey().group().equals(group)) {
                    deleted += entry.getValue().compact(before);
                }
            }
            return new Step(deleted, Optional.empty());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        // Another store may have the same journal.
    }
}
