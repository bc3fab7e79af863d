package io.fibry.durable;

import io.fibry.durable.Journal.Handled;
import io.fibry.durable.Journal.Loaded;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The messages with an id that one actor has handled, in turns that are written or under way. The store has those
 * that are written, with their answers. An actor with few of them has the ids of all in memory, so it asks the store
 * for nothing but the answer to a repetition. Of an actor with many, the ids of the newest ones are in memory, those
 * of all turns under way among them, and the store is asked for each other id.
 *
 * <p>To keep the newest revision of each sender would not do, though an outbox sends the messages of a key in order: a node
 * that is cut off may write a turn whose messages come behind later ones, and they would be taken for repetitions, and lost.
 */
final class HandledMessages {
    /** How many ids are in memory: more than those of the turns under way, which have two each at most. */
    private static final int MOST = Loaded.MOST_HANDLED;

    /** What was handled first comes first. */
    private Map<UUID, Handled> known = Collections.emptyMap();
    /** Whether the store has no other ids that count. */
    private boolean all = true;

    /** Returns the number of an id that the program has given to a message. */
    static UUID ofProgram(String id) {
        return number('p', id);
    }

    /** Returns the number of the id of a message of an outbox. It is none of those of programs. */
    static UUID ofOutbox(String id) {
        return number('o', id);
    }

    /** Returns half of a SHA-256, so that ids of any length have the same size, and nobody can make two ids with one number. */
    private static UUID number(char kind, String id) {
        try {
            var digest = MessageDigest.getInstance("SHA-256")
                    .digest((kind + id).getBytes(StandardCharsets.UTF_8));
            var in = ByteBuffer.wrap(digest);
            return new UUID(in.getLong(), in.getLong());
        } catch (NoSuchAlgorithmException never) {
            throw new IllegalStateException("each JDK has SHA-256", never);
        }
    }

    /** Begins with the handled messages of the store, or with none if there are too many. */
    void load(List<Handled> ofStore) {
        known = Collections.emptyMap();
        all = ofStore.size() <= MOST;
        if (all && !ofStore.isEmpty()) {
            known = new LinkedHashMap<>();
            ofStore.forEach(handled -> known.put(handled.id(), handled));
        }
    }

    /** Tells whether a message is in memory. */
    boolean has(UUID id) {
        return known.containsKey(id);
    }

    /** Tells whether a message that is not in memory is not in the store either. */
    boolean hasAll() {
        return all;
    }

    /**
     * Adds messages that a turn has handled.
     *
     * @param oldest a message of a program that was handled before this time does not count
     */
    void add(List<Handled> ofTurn, Instant oldest) {
        if (ofTurn.isEmpty()) {
            return;
        }
        known = known.isEmpty() ? new LinkedHashMap<>() : known;
        for (var handled : ofTurn) {
            known.remove(handled.id());
            known.put(handled.id(), new Handled(handled.id(), handled.at(), handled.from(), Frames.NONE));
        }
        for (var each = known.values().iterator(); known.size() > MOST && each.hasNext();) {
            var first = each.next();
            all &= first.from().isEmpty() && first.at().isBefore(oldest);
            each.remove();
        }
    }
}
