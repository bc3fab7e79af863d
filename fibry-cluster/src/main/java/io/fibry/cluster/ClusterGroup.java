package io.fibry.cluster;

import io.fibry.Reply;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What all nodes must know about keyed actors that they share: their name, and the types that cross. Make it a
 * constant of the program. Two programs that give one name to different types refuse each other's messages.
 *
 * <p>Messages and answers are what {@code docs/codec.md} describes: records, enums, sealed interfaces of them, and
 * values of the JDK. Keys are {@code String}, {@code Long}, {@code Integer}, {@code UUID}, enums, or records of these.
 *
 * <p>Immutable.
 *
 * @param <K> type of the keys
 * @param <M> type of the messages
 * @param <R> type of the answers
 * @param name the name, the same on all nodes
 * @param keys class of the keys
 * @param messages class of the messages
 * @param answers class of the answers; {@link Void} if there are none
 * @param keyOf gives the key of a message, the same on all nodes
 * @param others further classes that cross, as the answers to {@linkplain io.fibry.Request requests}
 */
public record ClusterGroup<K, M, R>(String name, Class<K> keys, Class<M> messages, Class<R> answers,
        Function<M, K> keyOf, List<Class<?>> others) {
    private static final int LONGEST_NAME = 200;
    /** What a group without keys is for. Gives the key of all its messages. */
    enum Kind implements Function<Object, String> {
        /** One actor. */
        SINGLETON(1, "a singleton", "Cluster.singleton"),
        /** Workers of all nodes. */
        WORKERS(2, "workers", "Cluster.workers"),
        /** Subscribers of all nodes. */
        TOPIC(3, "a topic", "Cluster.topic");

        /** The number that nodes tell each other, which no other version changes. */
        final int number;
        final String noun;
        final String method;

        Kind(int number, String noun, String method) {
            this.number = number;
            this.noun = noun;
            this.method = method;
        }

        int slices() {
            return this == SINGLETON ? 1 : 0;
        }

        @Override
        public String apply(Object message) {
            return "";
        }

        @SuppressWarnings("unchecked") // it takes any message
        private <M> Function<M, String> keyOf() {
            return (Function<M, String>) (Function<?, String>) this;
        }
    }

    /** Checks the values. */
    public ClusterGroup {
        if (name.isBlank() || name.getBytes(StandardCharsets.UTF_8).length > LONGEST_NAME
                || name.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("the name of a group is '" + name + "'; it must have 1 to "
                    + LONGEST_NAME + " bytes, none of them a control character");
        }
        KeyTypes.check(name, keys);
        Objects.requireNonNull(messages, "messages");
        Objects.requireNonNull(answers, "answers");
        Objects.requireNonNull(keyOf, "keyOf");
        others = List.copyOf(others);
    }

    /**
     * Describes a group.
     *
     * @param <K> type of the keys
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param name the name
     * @param keys class of the keys
     * @param messages class of the messages
     * @param answers class of the answers; {@link Void} if there are none
     * @param keyOf gives the key of a message
     * @return the group
     */
    public static <K, M, R> ClusterGroup<K, M, R> of(String name, Class<K> keys, Class<M> messages,
            Class<R> answers, Function<M, K> keyOf) {
        return new ClusterGroup<>(name, keys, messages, answers, keyOf, List.of());
    }

    /**
     * Describes a group among whose messages are {@linkplain io.fibry.Request requests}, each of which names the type
     * of its answer. The class of the messages has no type parameters.
     *
     * @param <K> type of the keys
     * @param <M> type of the messages
     * @param name the name
     * @param keys class of the keys
     * @param messages class of the messages
     * @param keyOf gives the key of a message
     * @param answers the classes of all answers
     * @return the group
     */
    public static <K, M> ClusterGroup<K, M, Reply> ofRequests(String name, Class<K> keys,
            Class<M> messages, Function<M, K> keyOf, Class<?>... answers) {
        return new ClusterGroup<>(name, keys, messages, Reply.class, keyOf, List.of(answers));
    }

    /**
     * Describes a singleton, for {@link Cluster#singleton}. If its messages are {@linkplain io.fibry.Request
     * requests}, the class of the answers is {@link Reply}, and {@link #with} adds the classes of all answers.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param name the name, which no group of keyed actors has
     * @param messages class of the messages
     * @param answers class of the answers; {@link Void} if there are none
     * @return the group, in which all messages have the same key
     */
    public static <M, R> ClusterGroup<String, M, R> single(String name, Class<M> messages,
            Class<R> answers) {
        return new ClusterGroup<>(name, String.class, messages, answers, Kind.SINGLETON.keyOf(), List.of());
    }

    /**
     * Describes workers, for {@link Cluster#workers}. If their messages are {@linkplain io.fibry.Request requests},
     * the class of the answers is {@link Reply}, and {@link #with} adds the classes of all answers.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param name the name, which no other group has
     * @param messages class of the messages
     * @param answers class of the answers; {@link Void} if there are none
     * @return the group, which has no keys
     */
    public static <M, R> ClusterGroup<String, M, R> workers(String name, Class<M> messages,
            Class<R> answers) {
        return new ClusterGroup<>(name, String.class, messages, answers, Kind.WORKERS.keyOf(), List.of());
    }

    /**
     * Describes a topic, for {@link Cluster#topic}.
     *
     * @param <M> type of the messages
     * @param name the name, which no other group has
     * @param messages class of the messages
     * @return the group, which has no keys
     */
    public static <M> ClusterGroup<String, M, Void> topic(String name, Class<M> messages) {
        return new ClusterGroup<>(name, String.class, messages, Void.class, Kind.TOPIC.keyOf(), List.of());
    }

    /** What it is for; empty if it has keys. */
    Optional<Kind> kind() {
        return (Function<?, ?>) keyOf instanceof Kind kind ? Optional.of(kind) : Optional.empty();
    }

    /** How many slices it has, if a group with keys has so many. */
    int slices(int keyed) {
        return kind().map(Kind::slices).orElse(keyed);
    }

    /**
     * Adds classes that cross.
     *
     * @param classes the classes
     * @return a changed copy
     */
    public ClusterGroup<K, M, R> with(Class<?>... classes) {
        return new ClusterGroup<>(name, keys, messages, answers, keyOf,
                Stream.concat(others.stream(), Stream.of(classes)).toList());
    }
}
