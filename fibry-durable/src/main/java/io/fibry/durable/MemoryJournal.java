package io.fibry.durable;

import java.time.Instant;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/** Keeps the logs in memory, for tests. Two stores may share one journal: they are then as two processes. */
final class MemoryJournal implements Journal {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Id, KeyLog> logs = new HashMap<>();

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
                }
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public List<Turn> unsent(String group, Slices slices, int most) {
        lock.lock();
        try {
            return logsOf(group, slices).flatMap(log -> log.unsent().stream()).limit(most).toList();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public List<Reminder> due(String group, Slices slices, Instant until, int most) {
        lock.lock();
        try {
            return logsOf(group, slices).flatMap(log -> log.reminders().stream())
                    .filter(reminder -> !reminder.at().isAfter(until))
                    .sorted(Comparator.comparing(Reminder::at))
                    .limit(most).toList();
        } finally {
            lock.unlock();
        }
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
