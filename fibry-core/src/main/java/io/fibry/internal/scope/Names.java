package io.fibry.internal.scope;

import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.MessageNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The names of a scope. A name has an actor, or messages that wait for one, or neither. Each change of a name is one
 * atomic step of the map. So a message is never kept for a name that an actor has, and an actor that takes a name
 * gets all messages that were kept for it.
 */
public final class Names {
    /** The messages that wait for an actor. */
    private record Kept(List<MessageNode> messages) {
    }

    private record Taking(Cell cell, Consumer<List<MessageNode>> handOver)
            implements
                BiFunction<String, @Nullable Object, Object> {
        @Override
        public Object apply(String name, @Nullable Object entry) {
            if (entry instanceof Cell other) {
                // mutant: name-is-given-to-two-actors
                return other;
            }
            handOver.accept(entry instanceof Kept waiting ? waiting.messages : List.of());
            return cell;
        }
    }

    private record Freeing(Cell cell) implements BiFunction<String, Object, @Nullable Object> {
        @Override
        public @Nullable Object apply(String name, Object entry) {
            // mutant: name-of-another-is-freed
            return entry == cell ? null : entry;
        }
    }

    private static final class Keeping implements BiFunction<String, @Nullable Object, Object> {
        private final MessageNode message;
        private final int bound;
        boolean done;

        Keeping(MessageNode message, int bound) {
            this.message = message;
            this.bound = bound;
        }

        @Override
        public Object apply(String name, @Nullable Object entry) {
            if (entry instanceof Cell) {
                return entry;
            }
            // Only the atomic steps of the map use the list.
            var kept = entry instanceof Kept before ? before : new Kept(new ArrayList<>());
            if (kept.messages.size() < bound) {
                kept.messages.add(message);
                done = true;
            }
            return kept;
        }
    }

    private static final class CountingKept implements BiFunction<String, Object, @Nullable Object> {
        int kept;

        @Override
        public @Nullable Object apply(String name, Object entry) {
            kept += entry instanceof Kept waiting ? waiting.messages.size() : 0;
            return entry;
        }
    }

    private record TakingKept(List<NoActor> all) implements BiFunction<String, Object, @Nullable Object> {
        @Override
        public @Nullable Object apply(String name, Object entry) {
            if (!(entry instanceof Kept kept)) {
                return entry;
            }
            for (var message : kept.messages) {
                all.add(new NoActor(name, Objects.requireNonNull(message.content())));
            }
            return null;
        }
    }

    /** A value is the {@link Cell} that has the name, or {@link Kept}. A wrapper would cost each actor 16 bytes. */
    private final ConcurrentHashMap<String, Object> entries = new ConcurrentHashMap<>();

    /** Returns the actors that have a name. */
    public List<Cell> cells() {
        var cells = new ArrayList<Cell>();
        for (var entry : entries.values()) {
            if (entry instanceof Cell cell) {
                cells.add(cell);
            }
        }
        return cells;
    }

    Optional<Cell> find(String name) {
        return entries.get(name) instanceof Cell cell ? Optional.of(cell) : Optional.empty();
    }

    /** Returns the names that actors have. */
    SortedSet<String> taken() {
        var taken = new TreeSet<String>();
        for (var each : entries.entrySet()) {
            if (each.getValue() instanceof Cell) {
                taken.add(each.getKey());
            }
        }
        return Collections.unmodifiableSortedSet(taken);
    }

    /**
     * Gives a name to an actor; returns false if another actor has the name. The messages that were kept for the
     * name are handed over before a thread can find the actor by its name, so they come before messages that are
     * sent later.
     */
    boolean take(String name, Cell cell, Consumer<List<MessageNode>> handOver) {
        return entries.compute(name, new Taking(cell, handOver)) == cell;
    }

    /** Frees the name if the given actor has it. */
    void free(String name, Cell cell) {
        entries.computeIfPresent(name, new Freeing(cell));
    }

    /**
     * Keeps a message for a name that no actor has. Returns false if there is no room for the message, or if an actor has the
     * name.
     *
     * @param bound how many messages may be kept for the name
     */
    boolean keep(String name, MessageNode message, int bound) {
        if (bound == 0) {
            return false;
        }
        var keeping = new Keeping(message, bound);
        entries.compute(name, keeping);
        return keeping.done;
    }

    /** Returns how many messages are kept for names that no actor has. */
    public int kept() {
        var counting = new CountingKept();
        for (var each : entries.entrySet()) {
            if (each.getValue() instanceof Kept) {
                entries.computeIfPresent(each.getKey(), counting);
            }
        }
        return counting.kept;
    }

    /** Removes and returns all messages that wait for an actor. */
    List<NoActor> takeKept() {
        var all = new ArrayList<NoActor>();
        for (var name : entries.keySet()) {
            entries.computeIfPresent(name, new TakingKept(all));
        }
        return all;
    }

    public int size() {
        return entries.size();
    }

    /** A message that was kept for a name that no actor took. */
    record NoActor(String name, Object message) {
    }
}
