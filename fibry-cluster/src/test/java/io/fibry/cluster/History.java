package io.fibry.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorContext;
import io.fibry.function.ContextReplyHandler;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** What the handlers of all nodes of this process have handled: each message, and whether two actors of a key were at work at a time. */
final class History {
    static final ClusterGroup<Integer, Note, String> GROUP =
            ClusterGroup.of("notes", Integer.class, Note.class, String.class, Note::key);

    private final Map<Integer, AtomicInteger> actors = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<Note> handled = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> faults = new ConcurrentLinkedQueue<>();

    /** The number-th message of a sender with a key. */
    record Note(String sender, int key, int number) {
    }

    /** Writes down what it handles, and answers with the name of its node. */
    final class Writer implements ContextReplyHandler<Note, String>, AutoCloseable {
        private final String node;
        private final int key;

        Writer(String node, int key) {
            this.node = node;
            this.key = key;
            if (actors.computeIfAbsent(key, missing -> new AtomicInteger()).incrementAndGet() > 1) {
                faults.add("two actors of key " + key);
            }
        }

        @Override
        public String handle(ActorContext<Note, String> self, Note note) {
            if (note.key() != key) {
                faults.add(note + " came to the actor of key " + key);
            }
            handled.add(note);
            return node;
        }

        @Override
        public void close() {
            actors.get(key).decrementAndGet();
        }
    }

    Writer writer(String node, int key) {
        return new Writer(node, key);
    }

    List<Note> handled() {
        return new ArrayList<>(handled);
    }

    /** Each message was handled at most once, those of one sender and key in order, and no two actors of a key were at work. */
    void check() {
        var last = new HashMap<String, Integer>();
        for (var note : handled) {
            var before = last.put(note.sender() + "/" + note.key(), note.number());
            if (before != null && before >= note.number()) {
                faults.add(note + " came after number " + before);
            }
        }
        assertThat(faults).isEmpty();
    }
}
