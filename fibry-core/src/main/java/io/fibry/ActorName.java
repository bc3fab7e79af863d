package io.fibry;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The name of an actor, with the types of its messages and answers. A constant of this class, which both the code that
 * makes the actor and the code that finds it use, makes the compiler check the types at both ends:
 *
 * <pre>{@code
 * static final ActorName<String, Integer> LENGTH = ActorName.of("length");
 *
 * scope.make(LENGTH, builder -> builder.newActorWithReturn((String text) -> text.length()));
 * int length = scope.find(LENGTH).orElseThrow().apply("four");
 * }</pre>
 *
 * <p>The types exist for the compiler only: two names are equal if their texts are. If an actor was made with a
 * name that has the same text but other types, its handler fails as {@link ActorScope#find(ActorName)} describes.
 * Names are immutable and thread-safe.
 *
 * @param <M> type of the messages
 * @param <R> type of the answers; {@link Void} for an actor that gives none, {@link Reply} for one that takes requests
 * @param text the name, which must not be blank
 */
@SuppressWarnings("UnusedTypeParameter") // they are what the name is for
public record ActorName<M, R extends @Nullable Object>(String text) {
    /**
     * Checks the text.
     *
     * @param text not blank
     * @throws IllegalArgumentException if the text is blank
     */
    public ActorName {
        if (Objects.requireNonNull(text, "text").isBlank()) {
            throw new IllegalArgumentException("the name of an actor must not be blank: '" + text + "'");
        }
    }

    /**
     * Returns the name of an actor.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param text the name, which must not be blank
     * @return the name
     * @throws IllegalArgumentException if the text is blank
     */
    public static <M, R extends @Nullable Object> ActorName<M, R> of(String text) {
        return new ActorName<>(text);
    }
}
