package io.fibry.durable;

import java.io.IOException;
import java.time.Instant;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;

/** A journal, in memory unless a test gives another one, of which tests override what is to go wrong. */
public class ForwardingJournal implements Journal {
    private final Journal memory;

    /** Forwards to a journal in memory. */
    public ForwardingJournal() {
        this(new MemoryJournal());
    }

    public ForwardingJournal(Journal journal) {
        memory = journal;
    }

    /** Returns what it forwards to: another process that goes another way. */
    public final Journal memory() {
        return memory;
    }

    @Override
    public Map<Id, Loaded> load(Collection<Id> ids) throws Exception {
        return memory.load(ids);
    }

    @Override
    public Map<Id, Long> revisions(Collection<Id> ids) throws Exception {
        return memory.revisions(ids);
    }

    @Override
    public BitSet commit(List<Turn> turns) throws Exception {
        return memory.commit(turns);
    }

    @Override
    public void sent(Collection<Sent> turns) throws Exception {
        memory.sent(turns);
    }

    @Override
    public List<Turn> unsent(String group, Slices slices, Position after, int most) throws Exception {
        return memory.unsent(group, slices, after, most);
    }

    @Override
    public List<Reminder> due(String group, Slices slices, Instant until, int most) throws Exception {
        return memory.due(group, slices, until, most);
    }

    @Override
    public List<Named> names(String group, String after, int most) throws Exception {
        return memory.names(group, after, most);
    }

    @Override
    public List<Reminder> dueByName(String group, String name, Instant until, int most) throws Exception {
        return memory.dueByName(group, name, until, most);
    }

    @Override
    public int countParked(String group) throws Exception {
        return memory.countParked(group);
    }

    @Override
    public List<String> keysOfParked(String group, String after, int most) throws Exception {
        return memory.keysOfParked(group, after, most);
    }

    @Override
    public void postpone(Collection<Reminder> reminders) throws Exception {
        memory.postpone(reminders);
    }

    @Override
    public Optional<Handled> handled(Id to, UUID id) throws Exception {
        return memory.handled(to, id);
    }

    @Override
    public int expire(String group, Instant before, int most) throws Exception {
        return memory.expire(group, before, most);
    }

    @Override
    public Optional<Reminder> reminder(Id id, String name) throws Exception {
        return memory.reminder(id, name);
    }

    @Override
    public boolean isForManyProcesses() {
        return memory.isForManyProcesses();
    }

    @Override
    public List<Turn> history(Id id, long after, int most) throws Exception {
        return memory.history(id, after, most);
    }

    @Override
    public Step compact(String group, Instant before, Position from, int most) throws Exception {
        return memory.compact(group, before, from, most);
    }

    @Override
    public List<String> keys(String group, String prefix, String after, int most) throws Exception {
        return memory.keys(group, prefix, after, most);
    }

    @Override
    public boolean erase(Turn deleted) throws Exception {
        return memory.erase(deleted);
    }

    @Override
    public OptionalLong eraseBelow(Id id, long below, int most) throws Exception {
        return memory.eraseBelow(id, below, most);
    }

    @Override
    public boolean park(Sent from, byte[] left, Reminder letter) throws Exception {
        return memory.park(from, left, letter);
    }

    @Override
    public void drop(Reminder reminder, Optional<Instant> next) throws Exception {
        memory.drop(reminder, next);
    }

    @Override
    public List<Reminder> parked(String group, String key, String name, int most) throws Exception {
        return memory.parked(group, key, name, most);
    }

    @Override
    public Follower follow(String name, Set<String> groups) throws Exception {
        return memory.follow(name, groups);
    }

    @Override
    public void close() throws IOException {
        memory.close();
    }

    /** A follower of which tests override what is to go wrong. */
    public static class ForwardingFollower implements Follower {
        private final Follower follower;

        public ForwardingFollower(Follower follower) {
            this.follower = follower;
        }

        @Override
        public Progress step(int most, boolean inTransaction, Work work) throws Exception {
            return follower.step(most, inTransaction, work);
        }

        @Override
        public void pause(boolean isPaused) throws Exception {
            follower.pause(isPaused);
        }

        @Override
        public void rewind() throws Exception {
            follower.rewind();
        }

        @Override
        public void forget() throws Exception {
            follower.forget();
        }

        @Override
        public void close() throws IOException {
            follower.close();
        }
    }
}
