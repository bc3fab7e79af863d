package io.fibry.durable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Keeps the logs in memory, for tests. Two stores may share one journal: they are then as two processes. */
final class MemoryJournal implements Journal {
    private static final byte[] NONE = {};

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Id, Log> logs = new HashMap<>();

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
                if (!fenced.contains(turn.id())
                        && logs.computeIfAbsent(turn.id(), id -> new Log()).add(turn)) {
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
                    log.turns.computeIfPresent(sent.revision(), (revision, turn) -> row(turn, NONE));
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
            return logsOf(group, slices).flatMap(log -> log.turns.values().stream())
                    .filter(turn -> turn.outbox().length > 0).limit(most).toList();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public List<Reminder> due(String group, Slices slices, Instant until, int most) {
        lock.lock();
        try {
            return logsOf(group, slices).flatMap(log -> log.reminders.values().stream())
                    .filter(reminder -> !reminder.at().isAfter(until))
                    .sorted(Comparator.comparing(Reminder::at))
                    .limit(most).toList();
        } finally {
            lock.unlock();
        }
    }

    private Stream<Log> logsOf(String group, Slices slices) {
        return logs.entrySet().stream()
                .filter(entry -> entry.getKey().group().equals(group) && slices.contains(entry.getKey()))
                .map(Map.Entry::getValue);
    }

    @Override
    public Optional<Reminder> reminder(Id id, String name) {
        lock.lock();
        try {
            var log = logs.get(id);
            return log == null ? Optional.empty() : Optional.ofNullable(log.reminders.get(name));
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
                    : log.turns.tailMap(after, false).values().stream().limit(most).toList();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int compact(String group, Instant before) {
        lock.lock();
        try {
            int deleted = 0;
            for (var entry : logs.entrySet()) {
                if (entry.getKey().group().equals(group)) {
                    var log = entry.getValue();
                    int all = log.turns.size();
                    log.compact(before);
                    deleted += all - log.turns.size();
                }
            }
            return deleted;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        // Another store may have the same journal.
    }

    private static Turn row(Turn turn, byte[] outbox) {
        return new Turn(turn.id(), turn.revision(), turn.at(), turn.events(), turn.messageId(), turn.answer(),
                outbox,
                List.of(), Set.of(), Optional.empty(), turn.deleted());
    }

    private static final class Log {
        private final TreeMap<Long, Turn> turns = new TreeMap<>();
        private final Map<String, Reminder> reminders = new HashMap<>();
        private @Nullable Snapshot snapshot;

        private long covered() {
            return snapshot == null ? 0 : snapshot.revision();
        }

        private long revision() {
            return turns.isEmpty() ? covered() : Math.max(covered(), turns.lastKey());
        }

        private boolean add(Turn turn) {
            if (turn.revision() <= covered() || turns.containsKey(turn.revision())) {
                return false;
            }
            turns.put(turn.revision(), row(turn, turn.outbox()));
            if (turn.deleted()) {
                reminders.clear();
            }
            turn.forgotten().forEach(reminders::remove);
            turn.reminders().forEach(reminder -> reminders.put(reminder.name(), reminder));
            turn.snapshot().ifPresent(kept -> snapshot = kept);
            return true;
        }

        private Loaded loaded() {
            return new Loaded(Optional.ofNullable(snapshot),
                    new ArrayList<>(turns.tailMap(covered(), false).values()));
        }

        private void compact(Instant before) {
            turns.headMap(covered(), true).values()
                    .removeIf(turn -> turn.outbox().length == 0 && turn.at().isBefore(before));
        }
    }
}
