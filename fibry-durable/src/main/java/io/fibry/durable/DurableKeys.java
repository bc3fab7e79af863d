package io.fibry.durable;

import io.fibry.codec.Codec;
import io.fibry.codec.CodecException;
import io.fibry.durable.Durable.Spec;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Snapshot;
import io.fibry.durable.Journal.Tries;
import io.fibry.durable.Journal.Turn;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.cbor.CBORMapper;

/**
 * The keys of durable actors of one kind, as the store has them: for lists and repairs. No actor is made, and actors
 * that have a key in memory read it again before their next message; those of another process do so when a turn of
 * theirs is fenced. Objects are thread-safe.
 */
public final class DurableKeys {
    private static final int PAGE = 1_000;
    /** Names a state as it is in the store, where JSON would change it. */
    private static final String AS_STORED = "$stored";
    private static final ObjectMapper JSON = new JsonMapper();
    private static final ObjectMapper CBOR = new CBORMapper();

    private final Spec<?, ?> spec;
    private final DurableStore store;
    private final Codec codec;

    DurableKeys(Spec<?, ?> spec) {
        this.spec = spec;
        store = spec.store();
        codec = Codec.of(spec.settings().codec, spec.states(), spec.events());
    }

    /**
     * {@return the keys that were written and not deleted since, as text, in an order that stays the same}
     *
     * @param prefix only keys that begin with this text are listed
     * @param after only keys behind this one are listed: the last one of the page before, or the empty text
     * @param most how many keys to list at most
     * @throws InterruptedException if the thread was interrupted
     * @throws io.fibry.ActorException if the store fails
     */
    public List<String> list(String prefix, String after, int most) throws InterruptedException {
        if (most < 1) {
            throw new IllegalArgumentException("a page has at least 1 key, not " + most);
        }
        Id.text("prefix of keys", prefix, Id.MOST_KEY);
        Id.text("key", after, Id.MOST_KEY);
        return store.read(journal -> journal.keys(spec.name(), prefix, after, most));
    }

    /**
     * {@return the number of keys that {@link #list} lists} Keys that change meanwhile may count or not.
     *
     * @param prefix only keys that begin with this text are counted
     * @throws InterruptedException if the thread was interrupted
     * @throws io.fibry.ActorException if the store fails
     */
    public long count(String prefix) throws InterruptedException {
        long count = 0;
        for (var page = list(prefix, "", PAGE); !page.isEmpty(); page = list(prefix, page.getLast(), PAGE)) {
            count += page.size();
        }
        return count;
    }

    /**
     * Deletes a key as {@link DurableContext#delete()} does, whatever its state is: nothing of it is read.
     *
     * @param key the key as text
     * @return false if the store has nothing of it
     * @throws InterruptedException if the thread was interrupted
     * @throws io.fibry.ActorException if the store fails
     */
    public boolean delete(String key) throws InterruptedException {
        return write(id(key), Frames.DELETED, Frames.NONE, store::commitFromOutside);
    }

    /**
     * Erases a key with its past, its reminders, what its outbox has not sent, what is parked, and the ids of
     * messages that it has handled. The name of the key stays, with the number of its last turn. Actors to which it
     * has sent messages keep the name with the ids of these messages, for the time of their {@link Durable#ids}.
     *
     * <p>A message of the key that has failed is not sent again: in this process from now on, in others a minute later at
     * most. In a file, what is erased is overwritten; if a connection reads the file meanwhile, such as that of a backup,
     * some minutes later. SQLite may have left copies of short texts within its pages: the statements {@code VACUUM} and then
     * {@code PRAGMA wal_checkpoint(TRUNCATE)} remove them. A database server keeps what is erased until its next clean-up.
     *
     * <p>If this throws, the key may have been erased, with its past or without: erase it again.
     *
     * @param key the key as text
     * @return false if the store has nothing of it
     * @throws InterruptedException if the thread was interrupted
     * @throws io.fibry.ActorException if the store fails
     */
    public boolean erase(String key) throws InterruptedException {
        var id = id(key);
        var revision = new AtomicLong();
        try {
            if (!write(id, Frames.ERASED, Frames.NONE, turn -> {
                revision.set(turn.revision());
                return store.write(journal -> journal.erase(turn));
            })) {
                return false;
            }
        } finally {
            group().ifPresent(group -> group.erased(id));
        }
        for (var next = OptionalLong.of(revision.get()); next.isPresent();) {
            long below = next.getAsLong();
            next = store.write(journal -> journal.eraseBelow(id, below, Compaction.MOST_OF_STEP));
        }
        return true;
    }

    /** Returns the id of a key that is to be written. The empty text names what is at work of a queue. */
    private Id id(String key) {
        if (key.isEmpty()) {
            throw new IllegalArgumentException("a key of " + spec.name() + " is a text that is not empty");
        }
        return new Id(spec.name(), key);
    }

    /** Writes a turn behind the newest one of a key. If this throws, the turn may be there, so the actors are told in any case. */
    private boolean write(Id id, byte[] events, byte[] state, Commit commit)
            throws InterruptedException {
        boolean isDeleted = Frames.isDeleted(events);
        while (true) {
            long revision = store.revision(id);
            if (isDeleted && revision == 0) {
                return false;
            }
            var turn = new Turn(id, revision + 1, Instant.now().truncatedTo(ChronoUnit.MILLIS), events,
                    List.of(), Frames.NONE, List.of(), Set.of(),
                    Optional.of(new Snapshot(revision + 1, Frames.sealed(state))),
                    isDeleted);
            try {
                if (commit.isDone(turn)) {
                    return true;
                }
            } finally {
                group().ifPresent(group -> group.overtaken(turn));
            }
        }
    }

    private interface Commit {
        boolean isDone(Turn turn) throws InterruptedException;
    }

    private Optional<DurableGroup<?, ?, ?, ?, ?>> group() {
        return store.groups().find(spec.name())
                .flatMap(target -> target instanceof DurableGroup<?, ?, ?, ?, ?> group ? Optional.of(group)
                        : Optional.empty());
    }

    /**
     * Writes the states of keys, one line of JSON for each: {@code {"key":"4711","revision":12,"state":["Balance",{"cents":70}]}}.
     * A line of a key that cannot be read has an {@code error} in place of the state. Turns may be written meanwhile.
     *
     * @param prefix only keys that begin with this text are written
     * @param out gets the lines
     * @return how many lines have a state
     * @throws IOException if {@code out} fails
     * @throws InterruptedException if the thread was interrupted
     * @throws io.fibry.ActorException if the store fails
     */
    public long exportTo(String prefix, Appendable out) throws IOException, InterruptedException {
        return exportTo(new LogReader<>(spec, codec), prefix, out);
    }

    private <S> long exportTo(LogReader<S, ?> log, String prefix, Appendable out)
            throws IOException, InterruptedException {
        long states = 0;
        var page = list(prefix, "", PAGE);
        for (; !page.isEmpty(); page = list(prefix, page.getLast(), PAGE)) {
            for (var key : page) {
                var id = new Id(spec.name(), key);
                var loaded = store.load(id);
                var line = JSON.createObjectNode().put("key", key);
                try {
                    var newest = log.newest(id, loaded);
                    line.put("revision", newest.revision()).set("state",
                            json(Objects.requireNonNull(newest.state())));
                    states++;
                } catch (RuntimeException e) {
                    line.put("error", e.getMessage());
                }
                out.append(JSON.writeValueAsString(line)).append('\n');
            }
        }
        return states;
    }

    private JsonNode json(Object state) {
        var bytes = codec.encode(state);
        try {
            var tree = JSON.readTree(JSON.writeValueAsString(CBOR.readTree(bytes)));
            if (codec.decode(CBOR.writeValueAsBytes(tree), spec.states()).equals(state)) {
                return tree;
            }
        } catch (JacksonException | CodecException e) {
            // JSON has no bytes, for example.
        }
        return JSON.createObjectNode().put(AS_STORED, Base64.getEncoder().encodeToString(bytes));
    }

    /**
     * Reads lines as {@link #exportTo} writes them, and gives each key the state of its line, whatever it had before,
     * in a turn of its own. Revisions are ignored. Reminders and messages stay. A {@link Projection} sees the states
     * of {@link Durable#stateOnly} only. A line with an {@code error} is passed over.
     *
     * @param in has the lines
     * @return how many keys have got a state
     * @throws IOException if {@code in} fails
     * @throws InterruptedException if the thread was interrupted
     * @throws io.fibry.ActorException if the store fails
     * @throws IllegalArgumentException if a line has no such state; the exception has its number; lines before it were taken
     */
    public long importFrom(Reader in) throws IOException, InterruptedException {
        var lines = new BufferedReader(in);
        long number = 0;
        long states = 0;
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            number++;
            Id id;
            byte[] bytes;
            try {
                var tree = JSON.readTree(line);
                if (tree.has("error")) {
                    continue;
                }
                id = id(tree.required("key").stringValue());
                var state = tree.required("state");
                bytes = state.has(AS_STORED) ? Base64.getDecoder().decode(state.get(AS_STORED).stringValue())
                        : CBOR.writeValueAsBytes(state);
                bytes = codec.encode(codec.decode(bytes, spec.states()));
            } catch (JacksonException | CodecException | IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "line " + number + " has no state of " + spec.name() + ": " + e.getMessage(), e);
            }
            write(id, spec.settings().isStateOnly ? Frames.sealed(bytes) : Frames.NONE, bytes,
                    store::commitFromOutside);
            states++;
        }
        return states;
    }

    /**
     * {@return what is parked, in the order of keys: messages that keys of this kind have sent, and their reminders, as {@link
     * Durable#parkAfter} tells} A message that is sent again is listed until it has been handled.
     *
     * @param after only what is behind this is listed: the last one of the page before
     * @param most how many to list at most
     * @throws InterruptedException if the thread was interrupted
     * @throws io.fibry.ActorException if the store fails
     */
    public List<Parked> parked(Optional<Parked> after, int most) throws InterruptedException {
        return store
                .parked(spec.name(), after.map(Parked::key).orElse(""), after.map(Parked::name).orElse(""),
                        most)
                .stream().map(this::parked).toList();
    }

    private Parked parked(Reminder reminder) {
        var letter = reminder.isLetter() ? Frames.letters(reminder.message()).getFirst()
                : new Frames.Letter(spec.name(), reminder.message());
        var text = store.groups().find(letter.to()).map(target -> target.text(letter.message()))
                .orElseGet(
                        () -> letter.message().length + " bytes, of a kind that this process does not know");
        return new Parked(reminder.id().key(), reminder.name(), letter.to(), text, reminder.at(),
                reminder.tries().failed(), reminder.tries().reason());
    }

    /**
     * Sends what is parked again, with the same id. If that fails as often again, it is parked again.
     *
     * @param parked what was listed
     * @return false if it is not there any more
     * @throws InterruptedException if the thread was interrupted
     * @throws io.fibry.ActorException if the store fails
     */
    public boolean sendAgain(Parked parked) throws InterruptedException {
        return change(parked, reminder -> {
            var due = reminder.with(new Tries(0, Instant.now().truncatedTo(ChronoUnit.MILLIS), ""));
            store.run(journal -> journal.postpone(List.of(due)));
            group().ifPresent(group -> group.due(due));
        });
    }

    /**
     * Drops what is parked: it is not sent any more. A reminder that is repeated comes at its next time; those that were missed
     * are left out.
     *
     * @param parked what was listed
     * @return false if it is not there any more
     * @throws InterruptedException if the thread was interrupted
     * @throws io.fibry.ActorException if the store fails
     */
    public boolean drop(Parked parked) throws InterruptedException {
        return change(parked, reminder -> {
            var next = ReminderChanges.after(reminder, Instant.now());
            store.run(journal -> journal.drop(reminder, next.map(Reminder::at)));
            group().ifPresent(group -> next.ifPresentOrElse(group::due, () -> group.dropped(reminder)));
        });
    }

    private boolean change(Parked parked, Step step) throws InterruptedException {
        var now = store.read(journal -> journal.reminder(new Id(spec.name(), parked.key()), parked.name()))
                .filter(reminder -> reminder.isParked() && reminder.at().equals(parked.at()));
        if (now.isPresent()) {
            step.run(now.get());
        }
        return now.isPresent();
    }

    private interface Step {
        void run(Reminder reminder) throws InterruptedException;
    }

    /**
     * A message or a reminder that was tried often enough, or a message that is sent again after that.
     *
     * @param key the key that has sent it
     * @param name the name of the reminder; that of a message is made of its turn and its place in the turn
     * @param to the kind of actors it goes to
     * @param message the message, as text
     * @param at the time of the reminder, or when the message was parked
     * @param tries how many tries have failed; counted anew when it is sent again
     * @param reason why the last one has failed; empty if none has
     */
    public record Parked(String key, String name, String to, String message, Instant at, int tries,
            String reason) {
    }
}
