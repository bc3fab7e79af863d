package io.fibry.durable;

import io.fibry.durable.DurableStore.Figure;
import io.fibry.durable.Frames.Letter;
import io.fibry.keyed.KeyedActors;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** The keyed actors that outboxes of a store can send to, by their names. */
final class Groups {
    /** Several of one name are the same keyed actors, which are not durable, and which several groups reach. */
    private final Map<String, List<Target>> targets = new ConcurrentHashMap<>();

    void add(Target target) {
        targets.merge(target.name(), List.of(target), (there, one) -> {
            if (!there.getFirst().sameAs(target)) {
                throw taken(there.getFirst());
            }
            return Stream.concat(there.stream(), one.stream()).toList();
        });
    }

    static IllegalStateException taken(Target by) {
        return new IllegalStateException("the name " + by.name() + " is taken in this store by " + by.kind()
                + ": close their scope first, or choose another name");
    }

    void remove(Target target) {
        targets.computeIfPresent(target.name(), (name, there) -> {
            var left = new ArrayList<>(there);
            left.remove(target);
            return left.isEmpty() ? null : left;
        });
    }

    Stream<Target> all() {
        return targets.values().stream().map(List::getFirst);
    }

    Optional<Target> find(String name) {
        return Optional.ofNullable(targets.get(name)).map(List::getFirst);
    }

    CompletableFuture<?> deliver(Letter letter, String messageId) {
        try {
            return find(letter.to())
                    .<CompletableFuture<?>>map(target -> target.deliver(letter.message(), messageId))
                    .orElseGet(() -> CompletableFuture.failedFuture(
                            new IllegalStateException("the store has no keyed actors " + letter.to())));
        } catch (RuntimeException | Error e) { // of the program: a record that cannot be made, or a key that is refused
            return CompletableFuture.failedFuture(e);
        }
    }

    Target of(KeyedActors<?, ?, ?> actors) {
        Objects.requireNonNull(actors, "to");
        return all().filter(target -> target.isOf(actors)).findAny()
                .orElseThrow(() -> new IllegalArgumentException("the store does not know the keyed actors "
                        + actors.name()
                        + "; they must be durable, of this store, or named by Durable.reaches"));
    }

    void addTo(List<Figure> figures) {
        all().forEach(target -> target.addTo(figures));
    }

    /** Keyed actors that get messages as bytes. */
    interface Target {
        String name();

        /** Returns what this is, for people. */
        String kind();

        default boolean isOf(KeyedActors<?, ?, ?> actors) {
            return false;
        }

        default boolean sameAs(Target other) {
            return this == other;
        }

        default byte[] encode(Object message) {
            throw new IllegalStateException(name() + " takes no messages");
        }

        Object decode(byte[] message);

        /** Adds what is known of these actors. */
        default void addTo(List<Figure> figures) {
            // Those that are not durable have measures of their own.
        }

        /** Returns a message as text, for people. */
        default String text(byte[] message) {
            try {
                return String.valueOf(decode(message));
            } catch (RuntimeException | Error e) {
                return message.length + " bytes that cannot be read: " + e.getMessage();
            }
        }

        /** Returns for how long turns that a snapshot covers are kept; empty if the group has no turns. */
        default Optional<Duration> history() {
            return Optional.empty();
        }

        /** Returns since when the ids of messages are needed; empty if the group keeps none. */
        default Optional<Instant> idsSince() {
            return Optional.empty();
        }

        /** Sends a message; the future is complete when it has been handled. */
        default CompletableFuture<?> deliver(byte[] message, String id) {
            throw new IllegalStateException(name() + " takes no messages");
        }
    }
}
