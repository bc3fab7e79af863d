package io.fibry.durable;

import io.fibry.durable.DurableStore.Figure;
import io.fibry.durable.Frames.Letter;
import io.fibry.keyed.KeyedActors;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The keyed actors that outboxes of a store can send to, by their names. */
final class Groups {
    private final Map<String, Target> targets = new ConcurrentHashMap<>();

    void add(Target target) {
        var other = targets.putIfAbsent(target.name(), target);
        if (other != null && !other.sameAs(target)) {
            throw new IllegalStateException("the store has keyed actors with the name " + target.name()
                    + " already; close their scope first, or choose another name");
        }
    }

    void remove(Target target) {
        targets.remove(target.name(), target);
    }

    /** Returns the groups that have turns, and for how long each keeps the turns that a snapshot covers. */
    Map<String, Duration> histories() {
        return targets.values().stream().filter(target -> target.history().isPresent())
                .collect(Collectors.toMap(Target::name, target -> target.history().orElseThrow()));
    }

    /** Returns the groups that keep ids of messages, and since when each needs them. */
    Map<String, Instant> idsSince() {
        return targets.values().stream().filter(target -> target.idsSince().isPresent())
                .collect(Collectors.toMap(Target::name, target -> target.idsSince().orElseThrow()));
    }

    Optional<Target> find(String name) {
        return Optional.ofNullable(targets.get(name));
    }

    /** Sends a message; the future is complete when it has been handled. */
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
        return targets.values().stream().filter(target -> target.isOf(actors)).findAny()
                .orElseThrow(() -> new IllegalArgumentException("the store does not know the keyed actors "
                        + actors.name()
                        + "; they must be durable, of this store, or named by Durable.reaches"));
    }

    void addTo(List<Figure> figures) {
        targets.values().forEach(target -> target.addTo(figures));
    }

    /** Keyed actors that get messages as bytes. */
    interface Target {
        String name();

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
