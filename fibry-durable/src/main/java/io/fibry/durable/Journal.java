package io.fibry.durable;

import io.fibry.internal.keyed.KeyHash;
import java.io.IOException;
import java.sql.Connection;
import java.time.Instant;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;

/**
 * Where a {@link DurableStore} keeps the logs of durable actors: the interface for those who write a store. Programs that
 * use durable actors have no need of it.
 *
 * <p>Methods take groups of things where many actors share a transaction. One thread at a time calls {@link #commit},
 * {@link #sent}, {@link #postpone}, {@link #expire}, {@link #erase}, {@link #eraseBelow}, {@link #park}, {@link #drop} and {@link #compact}.
 * One thread at a time calls the others, and may do so at the same time. What {@code commit} has written when it returns
 * is seen by each call that begins later, in all processes. A call that cannot be done soon should throw: while it lasts, others wait.
 *
 * <p>Pages of keys and of names have an order that stays the same; any will do. A page begins behind a key or a name, also if
 * that is not there any more. Fewer rows than asked for, read or deleted, mean that there are no more, unless a method says otherwise.
 */
public interface Journal extends AutoCloseable {
    /**
     * A page of {@link #unsent}, {@link #due} or {@link #dueByName} ends when its rows have so many bytes: in events and outboxes of
     * turns, or in messages of reminders. There may be more rows behind it, as behind a page with as many rows as it may have.
     */
    int MOST_OF_PAGE = 8 << 20;

    /**
     * Reads what is there of some keys.
     *
     * @param ids the keys
     * @return the newest snapshot of each key, the turns after it, and the ids of messages that it has handled; keys
     *     of which there is nothing are left out
     * @throws Exception if the store fails
     */
    Map<Id, Loaded> load(Collection<Id> ids) throws Exception;

    /**
     * Reads the newest revisions of some keys.
     *
     * @param ids the keys
     * @return the revisions; keys of which there is nothing are left out
     * @throws Exception if the store fails
     */
    Map<Id, Long> revisions(Collection<Id> ids) throws Exception;

    /**
     * Writes turns in one transaction, which is durable when this method returns. A turn whose revision is not the next one
     * of its key is fenced: nothing of it is written, and the others are. The next revision is the one after that of the
     * newest turn, or of the snapshot if that is newer, since the turns below a snapshot may have been deleted; the first one is 1.
     * So a log has neither two turns of one revision nor a gap. A turn that comes behind a fenced one of its key is fenced as well.
     *
     * <p>All turns together have about 4 MiB at most, unless there is one turn alone, which has 16 MiB at most.
     *
     * @param turns the turns; those of one key in the order of their revisions
     * @return bit i is set if turn i was written
     * @throws Exception if the store fails; of none of the turns is it known then whether it was written
     */
    BitSet commit(List<Turn> turns) throws Exception;

    /**
     * Marks turns as sent: their outboxes are emptied. Turns that are not there are passed over. This need not be
     * durable when the method returns.
     *
     * @param turns key and revision of each turn
     * @throws Exception if the store fails
     */
    void sent(Collection<Sent> turns) throws Exception;

    /**
     * Reads turns of a group whose outbox is not empty, one key after another, in an order of keys that stays the same, and the
     * turns of a key in the order of their revisions.
     *
     * @param group name of the group
     * @param slices only turns of keys in these slices are read
     * @param after only turns behind this position are read
     * @param most how many turns to read at most; fewer are read if they are {@linkplain #MOST_OF_PAGE large}
     * @return the turns
     * @throws Exception if the store fails
     */
    List<Turn> unsent(String group, Slices slices, Position after, int most) throws Exception;

    /**
     * Reads the reminders of a group that are to be sent until a time, by the time of their {@linkplain Tries#next next try}.
     *
     * @param group name of the group
     * @param slices only reminders of keys in these slices are read
     * @param until the time
     * @param most how many reminders to read at most; fewer are read if they are {@linkplain #MOST_OF_PAGE large}
     * @return the reminders
     * @throws Exception if the store fails
     */
    List<Reminder> due(String group, Slices slices, Instant until, int most) throws Exception;

    /**
     * Reads the names of the reminders of a group. The work of a {@link DurableQueue} is reminders
     * whose names are tenants, and of one name there may be very many: this reads little more than a row for each name.
     *
     * @param group name of the group
     * @param after only names behind this one are read; the empty text for all
     * @param most how many names to read at most
     * @return the names
     * @throws Exception if the store fails
     */
    List<Named> names(String group, String after, int most) throws Exception;

    /**
     * Reads the reminders of a name that are to be sent until a time, by the time of their {@linkplain Tries#next next try}.
     *
     * @param group name of the group
     * @param name the name
     * @param until the time
     * @param most how many reminders to read at most; fewer are read if they are {@linkplain #MOST_OF_PAGE large}
     * @return the reminders
     * @throws Exception if the store fails
     */
    List<Reminder> dueByName(String group, String name, Instant until, int most) throws Exception;

    /**
     * Keeps the failed tries of reminders. A reminder that is not there any more, or has another time, is passed over.
     *
     * @param reminders the reminders
     * @throws Exception if the store fails
     */
    void postpone(Collection<Reminder> reminders) throws Exception;

    /**
     * Reads what is kept of a message that a key has handled.
     *
     * @param to the key
     * @param id a number made of the id of the message, as {@link Handled} has it
     * @return what is kept; empty if there is nothing
     * @throws Exception if the store fails
     */
    Optional<Handled> handled(Id to, UUID id) throws Exception;

    /**
     * Deletes what is kept of messages that keys of a group have handled before a time, unless the {@linkplain
     * Handled#from turn} that has sent the message has a filled outbox, or a {@linkplain #park letter}: it may be sent again.
     *
     * @param group name of the group
     * @param before the time
     * @param most how many to delete at most
     * @return how many were deleted; fewer than {@code most} only if there are no more
     * @throws Exception if the store fails
     */
    int expire(String group, Instant before, int most) throws Exception;

    /**
     * Reads a reminder.
     *
     * @param id the key
     * @param name name of the reminder
     * @return the reminder; empty if there is none
     * @throws Exception if the store fails
     */
    Optional<Reminder> reminder(Id id, String name) throws Exception;

    /**
     * Reads the turns of a key that the store still has, those included that a snapshot covers.
     *
     * @param id the key
     * @param after only turns with a higher revision are read
     * @param most how many turns to read at most
     * @return the turns, in the order of their revisions; what they have handled, reminders, forgotten names and snapshots are
     *     left out
     * @throws Exception if the store fails
     */
    List<Turn> history(Id id, long after, int most) throws Exception;

    /**
     * Does a step of a compaction, which deletes turns of a group that were written before a time, that a snapshot covers, and
     * whose outbox is empty. Turns are written between two steps, so a step is short. What a step has deleted stays deleted,
     * whatever becomes of the next ones. A compaction that has not come to its end begins anew, also in the next process.
     *
     * <p>A store in which a {@link #commit} can run beside this method, in this process or another one, must not
     * delete turns below a snapshot that such a commit may not see yet.
     *
     * @param group name of the group
     * @param before the time
     * @param from where this step begins
     * @param most how many turns and snapshots this step may read at most; at least 1
     * @return what was done, and where the next step begins
     * @throws Exception if the store fails
     */
    Step compact(String group, Instant before, Position from, int most) throws Exception;

    /**
     * Reads the keys of a group that have turns after their snapshot or a snapshot that is not empty.
     *
     * @param group name of the group
     * @param prefix only keys that begin with this text are read
     * @param after only keys behind this one are read; the empty text for all
     * @param most how many keys to read at most
     * @return the keys
     * @throws Exception if the store fails
     */
    List<String> keys(String group, String prefix, String after, int most) throws Exception;

    /**
     * Writes a turn that deletes a key, unless it is fenced, and erases in the same transaction the outboxes of the turns
     * before, all reminders, and all that the key has handled. The turns before are erased by {@link #eraseBelow} then.
     *
     * @param deleted the turn
     * @return false if the turn is fenced; nothing is erased then
     * @throws Exception if the store fails
     */
    boolean erase(Turn deleted) throws Exception;

    /**
     * Does a step of the erasure of the turns of a key, which goes back to the first one: a projection gets what is left, and
     * then the turn that {@linkplain #erase deletes} the key. Turns are written between two steps, so a step is short. The
     * numbers of the turns stay taken; rows that fence turns of other writers may stay, without their content.
     *
     * @param id the key
     * @param below only turns below this revision are erased
     * @param most how many turns this step may erase at most; at least 1
     * @return the revision below which the next step begins; empty if nothing is left
     * @throws Exception if the store fails
     */
    OptionalLong eraseBelow(Id id, long below, int most) throws Exception;

    /**
     * Takes a message out of the outbox of a turn, and adds it as a {@linkplain Reminder#isLetter letter}, in one
     * transaction. A turn that is not there is passed over, and a letter of the same name is replaced.
     *
     * @param from the turn
     * @param left what its outbox has then; empty if there is nothing
     * @param letter the message
     * @return false if the turn is not there
     * @throws Exception if the store fails
     */
    boolean park(Sent from, byte[] left, Reminder letter) throws Exception;

    /**
     * Deletes a reminder, or lets it come at a later time as if it had not been tried, unless it is not there any more, or has
     * another time.
     *
     * @param reminder the reminder
     * @param next the later time; empty if it is deleted
     * @throws Exception if the store fails
     */
    void drop(Reminder reminder, Optional<Instant> next) throws Exception;

    /**
     * Reads the reminders of a group that are {@linkplain Reminder#isParked parked}, one key after another.
     *
     * @param group name of the group
     * @param key only reminders of this key with a later name, and those of later keys, are read
     * @param name the name
     * @param most how many to read at most
     * @return the reminders
     * @throws Exception if the store fails
     */
    List<Reminder> parked(String group, String key, String name, int most) throws Exception;

    /**
     * Counts the reminders of a group that are {@linkplain Reminder#isParked parked}.
     *
     * @param group name of the group
     * @return how many there are
     * @throws Exception if the store fails
     */
    int countParked(String group) throws Exception;

    /**
     * Reads the keys of a group that have {@linkplain Reminder#isLetter letters}.
     *
     * @param group name of the group
     * @param after only keys behind this one are read; the empty text for all
     * @param most how many keys to read at most
     * @return the keys
     * @throws Exception if the store fails
     */
    List<String> keysOfParked(String group, String after, int most) throws Exception;

    /**
     * Opens a follower, which hands the turns of some groups to a projection. One thread at a time uses it, beside
     * the other methods. Turns are kept for the projection from now on.
     *
     * @param name name of the projection
     * @param groups names of the groups
     * @return the follower, which is closed before the journal. It holds no connection until it is used, since the
     *     thread that waits for it may have given up
     * @throws IllegalStateException if the projection is new, and turns of a key are missing; turns before the one
     *     that {@linkplain #erase erased} the key may be. Its message has the group and the key
     * @throws Exception if the store fails
     */
    Follower follow(String name, Set<String> groups) throws Exception;

    /**
     * Hands turns to a projection, in an order in which each turn comes after those that were seen when it was written. The
     * journal keeps the place up to which they were handed over, and {@link Journal#compact} deletes no turn behind it.
     */
    interface Follower extends AutoCloseable {
        /**
         * Hands over the next turns, unless another process is doing so, or the projection is paused, or there are
         * none. None is passed over, also if it was written long before its commit. The first batch of all begins at
         * {@link #START}, and is handed over even if it is empty.
         *
         * @param most how many turns to read at most
         * @param inTransaction whether the work and the new place are one transaction
         * @param work gets the turns
         * @return what was done
         * @throws IllegalStateException if the projection was begun with other groups, which would have been passed over; or if
         *     the store has no transactions for programs, and the work is to be in one
         * @throws Exception if the store fails or the work does; the place stays then
         */
        Progress step(int most, boolean inTransaction, Work work) throws Exception;

        /**
         * Pauses the projection, in all processes, or lets it go on.
         *
         * @param isPaused whether it is paused
         * @throws Exception if the store fails
         */
        void pause(boolean isPaused) throws Exception;

        /**
         * Sets the place to the {@link #START}.
         *
         * @throws IllegalStateException if turns are missing that a new projection would need, as by {@link Journal#follow}
         * @throws Exception if the store fails
         */
        void rewind() throws Exception;

        /**
         * Deletes the place. The next step, of any follower of the projection, begins again.
         *
         * @throws Exception if the store fails
         */
        void forget() throws Exception;

        @Override
        void close() throws IOException;

        /** Where a projection begins. */
        long START = -1;
    }

    /** What is done with turns that are handed over. */
    @FunctionalInterface
    interface Work {
        /**
         * Gets turns.
         *
         * @param connection the connection of the transaction; empty if there is none
         * @param from the place before the turns
         * @param turns the turns
         * @throws Exception if the turns are to be handed over again
         */
        void take(Optional<Connection> connection, long from, List<Numbered> turns) throws Exception;
    }

    /**
     * A turn with its place in the order of all turns.
     *
     * @param number the place, which never changes; that of a later turn is higher
     * @param turn the turn, as {@link #history} returns it
     */
    record Numbered(long number, Turn turn) {
    }

    /**
     * What a step of a {@link Follower} has done.
     *
     * @param waiting when the first turn that is there and was not handed over was written; empty if none is known
     * @param mayHaveMore whether the next step may find something, at once or when a transaction ends that holds up what waits
     */
    record Progress(Optional<Instant> waiting, boolean mayHaveMore) {
    }

    /**
     * Tells whether several processes may have this store at the same time. If not, nodes of a cluster cannot share
     * durable actors that it keeps, and it is never asked for some of the slices alone.
     *
     * @return false if a process has the store for itself
     */
    boolean isForManyProcesses();

    /**
     * Ends the use of the store.
     *
     * @throws IOException if the store fails
     */
    @Override
    void close() throws IOException;

    /**
     * Names the log of one key.
     *
     * @param group name of the keyed actors
     * @param key the key as text
     */
    record Id(String group, String key) {
        /** The number of characters that a key may have. The index of a database has no room for longer ones. */
        public static final int MOST_KEY = 512;
        /** The number of characters that a name of keyed actors, or of a reminder, may have. */
        public static final int MOST_NAME = 256;

        /**
         * Makes an id.
         *
         * @param group name of the keyed actors
         * @param key the key as text
         */
        public Id {
            text("name of keyed actors", group, MOST_NAME);
            text("key", key, MOST_KEY);
        }

        /**
         * Checks a text that a database has to keep. A bad one could become the key of another actor, or fail the
         * turns of others in the same transaction.
         */
        static void text(String what, String text, int most) {
            Objects.requireNonNull(text, what);
            if (text.length() > most) {
                throw new IllegalArgumentException(
                        String.format(Locale.ROOT, "the %s has %,d characters, and may have %,d: %s...", what,
                                text.length(), most, text.substring(0, 40)));
            }
            int c;
            for (int i = 0; i < text.length(); i += Character.charCount(c)) {
                c = text.codePointAt(i);
                if (c == 0 || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE)) {
                    throw new IllegalArgumentException("the %s has a character at %d that is no text: \\u%04x"
                            .formatted(what, i, c));
                }
            }
        }
    }

    /**
     * Some of the parts into which the keys of a group are divided. The number of a key never changes, so a store may keep it.
     *
     * @param of the number of all slices
     * @param numbers the numbers of some slices, from 0
     */
    record Slices(int of, Set<Integer> numbers) {
        /** All keys. */
        public static final Slices ALL = new Slices(1, Set.of(0));

        /** Checks the components. */
        public Slices {
            numbers = Set.copyOf(numbers);
            if (of < 1) {
                throw new IllegalArgumentException("keys are divided into at least 1 slice, not " + of);
            }
        }

        /**
         * Tells whether a key is in one of these slices.
         *
         * @param id the key
         * @return true if it is
         */
        public boolean contains(Id id) {
            return numbers.size() == of || numbers.contains(slice(id));
        }

        /**
         * Returns the number of a key, by which it is divided: its slice is the remainder of the division by {@link #of}.
         *
         * @param id the key
         * @return the number, not negative
         */
        public static int number(Id id) {
            return KeyHash.of(id.key());
        }

        int slice(Id id) {
            return number(id) % of;
        }

        Slices with(int slice) {
            var more = new HashSet<>(numbers);
            more.add(slice);
            return new Slices(of, more);
        }

        Slices without(int slice) {
            var fewer = new HashSet<>(numbers);
            fewer.remove(slice);
            return new Slices(of, fewer);
        }
    }

    /**
     * What one message has changed: a row of the log. The store keeps its arrays, and no code changes them.
     *
     * @param id the key
     * @param revision the number of this turn in its log; the first is 1
     * @param at when the turn was handled; a time before 1970 is taken for the begin of 1970
     * @param events the events; empty if there are none
     * @param handled the messages that are not handled again, with their answers
     * @param outbox the messages to be sent; empty if there are none
     * @param reminders reminders to be set; one with the same key and name is replaced
     * @param forgotten names of reminders that are deleted before the others are set
     * @param snapshot the state after this turn, if it is to be kept; it replaces the one before
     * @param deleted whether all reminders of the key are deleted before others are set; a deleted key has a snapshot
     */
    record Turn(Id id, long revision, Instant at, byte[] events, List<Handled> handled,
            byte[] outbox, List<Reminder> reminders, Set<String> forgotten, Optional<Snapshot> snapshot,
            boolean deleted) {
        /** Checks the components. */
        public Turn {
            at = at.isBefore(Instant.EPOCH) ? Instant.EPOCH : at; // what is below zero has a meaning of its own in databases
            handled = List.copyOf(handled);
            reminders = List.copyOf(reminders);
            forgotten = Set.copyOf(forgotten);
            if (revision < 1) {
                throw new IllegalArgumentException("a revision is at least 1: " + revision);
            }
        }

        /** Tells whether a page ends because it has as many rows, or bytes, as it may have. */
        static boolean isFull(List<Turn> page, int most) {
            return page.size() == most
                    || page.stream().mapToLong(turn -> turn.events().length + turn.outbox().length)
                            .sum() >= MOST_OF_PAGE;
        }

        Turn with(Snapshot kept) {
            return new Turn(id, revision, at, events, handled, outbox, reminders, forgotten,
                    Optional.of(kept), deleted);
        }
    }

    /**
     * The state of a key after one of its turns.
     *
     * @param revision the turn
     * @param state the state; empty if the key was deleted
     */
    record Snapshot(long revision, byte[] state) {
    }

    /**
     * A message that a key has handled, as long as its sender may send it again.
     *
     * @param id a number made of the id of the message, unique among the messages of the key
     * @param at when the message was handled
     * @param from the turn that has sent the message; empty if it came from outside
     * @param answer the answer; empty if there is none
     */
    record Handled(UUID id, Instant at, Optional<Sent> from, byte[] answer) {
    }

    /**
     * What is there of one key.
     *
     * @param snapshot the newest snapshot
     * @param turns the turns after it, in the order of their revisions; what they have handled, reminders, forgotten names and
     *     snapshots are left out
     * @param handled the messages that the key has handled and that are kept, without their answers: all of them; or,
     *     if they are more than {@link #MOST_HANDLED}, any, but more than this number
     */
    record Loaded(Optional<Snapshot> snapshot, List<Turn> turns, List<Handled> handled) {
        /** How many handled messages of a key are read with it. If there are more, each is looked for when it is needed. */
        public static final int MOST_HANDLED = 4_096;
        static final Loaded NOTHING = new Loaded(Optional.empty(), List.of(), List.of());

        /** Checks the components. */
        public Loaded {
            turns = List.copyOf(turns);
            handled = List.copyOf(handled);
        }
    }

    /**
     * Names a turn whose messages have been sent.
     *
     * @param id the key
     * @param revision the turn
     */
    record Sent(Id id, long revision) {
    }

    /**
     * Where a step of {@link #compact}, or a read of {@link #unsent}, ends, and the next one begins. A journal goes through the
     * keys of a group in an order of its own, in which the empty text is the first one.
     *
     * @param key the key
     * @param revision the last turn of this key that was looked at; {@link Long#MAX_VALUE} if all were
     */
    record Position(String key, long revision) {
        /** Before all turns of all keys. */
        public static final Position FIRST = new Position("", 0);

        static Position after(String key) {
            return new Position(key, Long.MAX_VALUE);
        }

        boolean isAfterKey() {
            return revision == Long.MAX_VALUE;
        }
    }

    /**
     * What a step of {@link #compact} has done.
     *
     * @param deleted how many turns were deleted
     * @param next where the next step begins; empty if all keys were looked at
     */
    record Step(int deleted, Optional<Position> next) {
    }

    /**
     * The tries to send something that have failed.
     *
     * @param failed how many have failed
     * @param next when it is sent, or sent again
     * @param reason why the last one has failed; empty if none has
     */
    record Tries(int failed, Instant next, String reason) {
        /** The next try of what is not sent any more. */
        public static final Instant NEVER = Instant.ofEpochMilli(Long.MAX_VALUE);
        /** The number of characters that a reason may have. */
        public static final int MOST_REASON = 1_024;

    }

    /**
     * A name that reminders have.
     *
     * @param name the name
     * @param next the first of their next tries
     */
    record Named(String name, Instant next) {
    }

    /**
     * A message that is sent to an actor at a time.
     *
     * @param id the key of the actor
     * @param name name of the reminder, unique for the key
     * @param at the time
     * @param every how it is repeated: a time as {@link java.time.Duration} writes it, or the {@linkplain
     *     io.fibry.time.Schedule#calendar calendar} of a schedule; empty if it is not repeated
     * @param message the message
     * @param tries the tries to send it
     */
    record Reminder(Id id, String name, Instant at, String every, byte[] message, Tries tries) {
        /** Checks the components. */
        public Reminder {
            Id.text("name of a reminder", name, Id.MOST_NAME);
            Id.text("calendar of a reminder", every, Id.MOST_NAME);
        }

        /**
         * Makes a reminder that was not sent yet.
         *
         * @param id the key of the actor
         * @param name name of the reminder, unique for the key
         * @param at the time
         * @param every how it is repeated; empty if it is not
         * @param message the message
         */
        public Reminder(Id id, String name, Instant at, String every, byte[] message) {
            this(id, name, at, every, message, new Tries(0, at, ""));
        }

        Reminder with(Tries now) {
            return new Reminder(id, name, at, every, message, now);
        }

        /** The name of a letter begins with this character, and the name of no other reminder. */
        static final String LETTER = "\u001f";

        /** Makes a letter: a message that was taken out of the outbox of a turn. */
        static Reminder letter(Sent from, int place, Instant at, byte[] letter, Tries tries) {
            return new Reminder(from.id(), LETTER + from.revision() + "/" + place, at, "",
                    letter, tries);
        }

        /**
         * Tells whether this is a message that was taken out of an outbox. It is not deleted with its key.
         *
         * @return true if it is
         */
        public boolean isLetter() {
            return name.startsWith(LETTER);
        }

        boolean isLetterOf(Sent turn) {
            return id.equals(turn.id()) && name.startsWith(LETTER + turn.revision() + "/");
        }

        /**
         * Tells whether this is not sent any more, or is a letter. A letter is parked until it has been handled, also
         * while it is sent again.
         *
         * @return true if it is
         */
        public boolean isParked() {
            return isLetter() || tries.next().equals(Tries.NEVER);
        }

        /** Tells whether a page ends because it has as many rows, or bytes, as it may have. */
        static boolean isFull(List<Reminder> page, int most) {
            return page.size() == most || page.stream().mapToLong(each -> each.message().length)
                    .sum() >= MOST_OF_PAGE;
        }
    }
}
