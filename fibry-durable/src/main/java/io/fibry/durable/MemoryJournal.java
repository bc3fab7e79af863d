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
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** Keeps the logs in memory, for tests. Two stores may share one journal, as two processes share a database. */
final class MemoryJournal implements Journal {
    private static final Comparator<Sent> PLACES =
            Comparator.<Sent, String>comparing(place -> place.id().key()).thenComparingLong(Sent::revision);
    private static final NavigableSet<Sent> NONE =
            Collections.unmodifiableNavigableSet(new TreeSet<>(PLACES));

    /** Guards the logs. */
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Id, KeyLog> logs = new HashMap<>();
    /** All turns, in the order of their commits. */
    final TreeMap<Long, Sent> order = new TreeMap<>();
    private long newest;
    private final Map<String, Place> places = new HashMap<>();
    /** The turns of each group whose outbox is not empty. */
    private final Map<String, NavigableSet<Sent>> unsent = new HashMap<>();

    private <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Map<Id, Loaded> load(Collection<Id> ids) {
        return locked(() -> {
            var found = new HashMap<Id, Loaded>();
            ids.forEach(id -> log(id).ifPresent(log -> found.put(id, log.loaded())));
            return found;
        });
    }

    @Override
    public Map<Id, Long> revisions(Collection<Id> ids) {
        return locked(() -> {
            var found = new HashMap<Id, Long>();
            ids.forEach(id -> log(id).ifPresent(log -> found.put(id, log.revision())));
            return found;
        });
    }

    @Override
    public BitSet commit(List<Turn> turns) {
        return locked(() -> {
            var written = new BitSet(turns.size());
            var fenced = new HashSet<Id>();
            for (int i = 0; i < turns.size(); i++) {
                var turn = turns.get(i);
                var log = logs.getOrDefault(turn.id(), new KeyLog());
                if (!fenced.contains(turn.id()) && log.add(turn)) {
                    logs.put(turn.id(), log);
                    written.set(i);
                    order.put(++newest, new Sent(turn.id(), turn.revision()));
                    if (turn.outbox().length > 0) {
                        unsentOf(turn.id()).add(new Sent(turn.id(), turn.revision()));
                    }
                } else {
                    fenced.add(turn.id());
                }
            }
            return written;
        });
    }

    @Override
    public void sent(Collection<Sent> turns) {
        locked(() -> {
            turns.forEach(sent -> log(sent.id()).filter(log -> log.leave(sent.revision(), new byte[0]))
                    .ifPresent(log -> unsentOf(sent.id()).remove(sent)));
            return true;
        });
    }

    @Override
    public List<Turn> unsent(String group, Slices slices, Position after, int most) {
        return locked(() -> {
            var all = unsent.getOrDefault(group, NONE);
            return page(all.tailSet(new Sent(new Id(group, after.key()), after.revision()), false).stream()
                    .filter(turn -> slices.contains(turn.id()))
                    .flatMap(turn -> log(turn.id()).stream()
                            .flatMap(log -> log.turn(turn.revision()).stream())),
                    turn -> turn.events().length + turn.outbox().length, most);
        });
    }

    @Override
    public List<Reminder> due(String group, Slices slices, Instant until, int most) {
        return due(group, slices, until, most, reminder -> true);
    }

    private List<Reminder> due(String group, Slices slices, Instant until, int most,
            Predicate<Reminder> which) {
        return locked(() -> page(logsOf(group, slices).flatMap(log -> log.reminders().stream())
                .filter(reminder -> !reminder.tries().next().isAfter(until)).filter(which)
                .sorted(Comparator.comparing(reminder -> reminder.tries().next())),
                reminder -> reminder.message().length, most));
    }

    private static <T> List<T> page(Stream<T> rows, ToLongFunction<T> bytes, int most) {
        var all = rows.limit(most).toList();
        return all.subList(0, TurnSize.rowsOfPage(all.stream().map(bytes::applyAsLong).toList()));
    }

    @Override
    public List<Named> names(String group, String after, int most) {
        return locked(() -> {
            var first = new TreeMap<String, Instant>();
            logsOf(group, Slices.ALL).flatMap(log -> log.reminders().stream())
                    .forEach(each -> first.merge(each.name(), each.tries().next(),
                            (one, other) -> one.isBefore(other) ? one : other));
            return first.tailMap(after, false).entrySet().stream().limit(most)
                    .map(each -> new Named(each.getKey(), each.getValue())).toList();
        });
    }

    @Override
    public List<Reminder> dueByName(String group, String name, Instant until, int most) {
        return due(group, Slices.ALL, until, most, each -> each.name().equals(name));
    }

    @Override
    public void postpone(Collection<Reminder> reminders) {
        locked(() -> {
            reminders.forEach(reminder -> log(reminder.id()).ifPresent(log -> log.postpone(reminder)));
            return true;
        });
    }

    @Override
    public Optional<Handled> handled(Id to, UUID id) {
        return locked(() -> log(to).flatMap(log -> log.handled(id)));
    }

    @Override
    public int expire(String group, Instant before, int most) {
        return locked(() -> {
            int deleted = 0;
            for (var entry : logs.entrySet()) {
                if (entry.getKey().group().equals(group)) {
                    deleted += entry.getValue().expire(before, most - deleted, this::isUnsent);
                }
            }
            return deleted;
        });
    }

    private NavigableSet<Sent> unsentOf(Id id) {
        return unsent.computeIfAbsent(id.group(), group -> new TreeSet<>(PLACES));
    }

    private Optional<KeyLog> log(Id id) {
        return Optional.ofNullable(logs.get(id));
    }

    private boolean isUnsent(Sent turn) {
        return unsent.getOrDefault(turn.id().group(), NONE).contains(turn)
                || log(turn.id()).filter(log -> log.hasLetterOf(turn)).isPresent();
    }

    private Stream<KeyLog> logsOf(String group, Slices slices) {
        return logs.entrySet().stream()
                .filter(entry -> entry.getKey().group().equals(group) && slices.contains(entry.getKey()))
                .map(Map.Entry::getValue);
    }

    @Override
    public Optional<Reminder> reminder(Id id, String name) {
        return locked(() -> log(id).flatMap(log -> log.reminder(name)));
    }

    @Override
    public boolean isForManyProcesses() {
        return true;
    }

    @Override
    public List<Turn> history(Id id, long after, int most) {
        return locked(() -> log(id).stream().flatMap(log -> log.turns().stream())
                .filter(turn -> turn.revision() > after).limit(most).toList());
    }

    @Override
    public Step compact(String group, Instant before, Position from, int most) {
        return locked(() -> {
            int deleted = 0;
            var unread = new HashSet<Sent>();
            for (var place : places.values()) {
                if (place.groups.contains(group)) {
                    unread.addAll(order.tailMap(place.number, false).values());
                }
            }
            for (var entry : logs.entrySet()) {
                if (entry.getKey().group().equals(group)) {
                    deleted += entry.getValue().compact(before, unread::contains);
                }
            }
            forgetPlaces(group);
            return new Step(deleted, Optional.empty());
        });
    }

    /** Forgets the places of turns that are deleted. */
    private void forgetPlaces(String group) {
        order.values().removeIf(place -> place.id().group().equals(group)
                && log(place.id()).flatMap(log -> log.turn(place.revision())).isEmpty());
    }

    @Override
    public List<String> keys(String group, String prefix, String after, int most) {
        return locked(() -> logs.entrySet().stream()
                .filter(entry -> entry.getKey().group().equals(group) && entry.getValue().hasState())
                .map(entry -> entry.getKey().key())
                .filter(key -> key.startsWith(prefix) && key.compareTo(after) > 0).sorted().limit(most)
                .toList());
    }

    @Override
    public boolean erase(Turn deleted) {
        return locked(() -> {
            var id = deleted.id();
            boolean isWritten = commit(List.of(deleted)).get(0);
            if (isWritten) {
                log(id).ifPresent(log -> log.erase(deleted.revision()));
                unsentOf(id).removeIf(turn -> turn.id().equals(id));
            }
            return isWritten;
        });
    }

    @Override
    public OptionalLong eraseBelow(Id id, long below, int most) {
        return locked(() -> {
            var next = log(id).map(log -> log.eraseBelow(below, most)).orElse(OptionalLong.empty());
            forgetPlaces(id.group());
            return next;
        });
    }

    @Override
    public boolean park(Sent from, byte[] left, Reminder letter) {
        return locked(() -> {
            var found = log(from.id()).filter(log -> log.leave(from.revision(), left));
            found.ifPresent(log -> {
                log.add(letter);
                if (left.length == 0) {
                    unsentOf(from.id()).remove(from);
                }
            });
            return found.isPresent();
        });
    }

    @Override
    public void drop(Reminder reminder, Optional<Instant> next) {
        locked(() -> {
            log(reminder.id()).ifPresent(log -> log.drop(reminder, next));
            return true;
        });
    }

    @Override
    public List<Reminder> parked(String group, String key, String name, int most) {
        return locked(() -> parked(group)
                .sorted(Comparator.<Reminder, String>comparing(each -> each.id().key())
                        .thenComparing(Reminder::name))
                .filter(each -> each.id().key().compareTo(key) > 0
                        || (each.id().key().equals(key) && each.name().compareTo(name) > 0))
                .limit(most).toList());
    }

    private Stream<Reminder> parked(String group) {
        return logsOf(group, Slices.ALL).flatMap(log -> log.reminders().stream()).filter(Reminder::isParked);
    }

    @Override
    public int countParked(String group) {
        return locked(() -> (int) parked(group).count());
    }

    @Override
    public List<String> keysOfParked(String group, String after, int most) {
        return locked(() -> parked(group).filter(Reminder::isLetter).map(each -> each.id().key())
                .filter(key -> key.compareTo(after) > 0).distinct().sorted().limit(most).toList());
    }

    @Override
    public Follower follow(String name, Set<String> groups) {
        var follower = new MemoryFollower(name, Set.copyOf(groups));
        locked(follower::findOrBegin);
        return follower;
    }

    /** Where a projection is. Changed under the lock of the journal. */
    private static final class Place {
        private final Set<String> groups;
        /** Written under the lock of the journal. */
        private volatile long number = Follower.START;
        /** Written by any thread. */
        private volatile boolean isPaused;
        /** Held by the process that is at work. */
        private final Semaphore taken = new Semaphore(1);

        Place(Set<String> groups) {
            this.groups = groups;
        }
    }

    /** Has no connection, so no work shares a transaction with the place. */
    private final class MemoryFollower implements Follower {
        private final String name;
        private final Set<String> groups;

        MemoryFollower(String name, Set<String> groups) {
            this.name = name;
            this.groups = groups;
        }

        @Override
        public Progress step(int most, boolean inTransaction, Work work) throws Exception {
            if (inTransaction) {
                throw new IllegalStateException(
                        "a store in memory has no connection for the projection " + name
                                + ": open a file, or use Projection.start");
            }
            var place = locked(this::place);
            long from = place.number;
            var turns = locked(() -> order.tailMap(from, false).entrySet().stream()
                    .filter(entry -> groups.contains(entry.getValue().id().group()))
                    .flatMap(entry -> log(entry.getValue().id()).stream()
                            .flatMap(log -> log.turn(entry.getValue().revision()).stream())
                            .map(turn -> new Numbered(entry.getKey(), turn)))
                    .limit(most).toList());
            if (place.isPaused || (turns.isEmpty() && from != START) || !place.taken.tryAcquire()) {
                return new Progress(turns.stream().map(each -> each.turn().at()).findFirst(), false);
            }
            try {
                if (place.number == from) {
                    work.take(Optional.empty(), from, turns);
                    locked(() -> place.number = place.number != from ? place.number
                            : turns.isEmpty() ? 0 : turns.getLast().number());
                }
            } finally {
                place.taken.release();
            }
            return new Progress(Optional.empty(), turns.size() == most);
        }

        private Place place() {
            var place = findOrBegin();
            if (!place.groups.equals(groups)) {
                throw SqlFollower.otherKinds(name, groups);
            }
            return place;
        }

        private Place findOrBegin() {
            var found = places.get(name);
            return found == null ? begin() : found;
        }

        private Place begin() {
            for (var entry : logs.entrySet()) {
                if (groups.contains(entry.getKey().group()) && !entry.getValue().isComplete()) {
                    throw SqlFollower.incomplete(name, entry.getKey());
                }
            }
            var place = new Place(groups);
            places.put(name, place);
            return place;
        }

        @Override
        public void pause(boolean isPaused) {
            locked(() -> {
                findOrBegin().isPaused = isPaused;
                return true;
            });
        }

        @Override
        public void rewind() {
            locked(() -> {
                var before = places.get(name);
                boolean wasPaused = before != null && before.isPaused;
                begin().isPaused = wasPaused;
                return true;
            });
        }

        @Override
        public void forget() {
            locked(() -> {
                places.remove(name);
                return true;
            });
        }

        @Override
        public void close() {
            // The place stays.
        }
    }

    @Override
    public void close() {
        // Another store may have the same journal.
    }
}
