package io.fibry.event;

import io.fibry.message.Envelope;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Builds the text of an event in the form that the language defines: {@code Name[part=value, …]}. An empty {@code
 * Optional} and an empty collection are left out. The value of an {@code Optional} that is present is shown without the
 * {@code Optional}. A class is shown by its name.
 */
final class RecordText {
    private final StringBuilder text;
    private String before = "";

    private RecordText(String name) {
        text = new StringBuilder(name).append('[');
    }

    /**
     * Returns the text of a record, without any parts so far.
     *
     * @param what the record
     * @return the text
     */
    static RecordText of(Record what) {
        return new RecordText(what.getClass().getSimpleName());
    }

    /**
     * Adds a part.
     *
     * @param part the name of the part
     * @param value the value to show
     * @return this text
     */
    RecordText with(String part, Object value) {
        var shown = shown(value);
        if (shown != null) {
            text.append(before).append(part).append('=').append(shown);
            before = ", ";
        }
        return this;
    }

    /** Returns what a message carries: the class of the message may mean nothing to the reader. */
    private static Object content(Envelope envelope) {
        try {
            return envelope.content();
        } catch (Throwable unreadable) {
            return envelope.getClass().getName();
        }
    }

    private static @Nullable Object shown(Object value) {
        return switch (value) {
            case Optional<?> maybe -> maybe.isPresent() ? shown(maybe.get()) : null;
            case OptionalInt maybe -> maybe.isPresent() ? maybe.getAsInt() : null;
            case Collection<?> none when none.isEmpty() -> null;
            case Map<?, ?> none when none.isEmpty() -> null;
            case Class<?> known -> known.getName();
            case Envelope envelope -> content(envelope);
            default -> value;
        };
    }

    @Override
    public String toString() {
        return text + "]";
    }
}
