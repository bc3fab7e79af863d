package io.fibry.text;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The text of a record, in the form that the language gives it: {@code Name[part=value, …]}. But what is not there is
 * left out: an empty {@code Optional}, an empty collection; one that is there is shown as what it holds. A class is
 * shown as its name.
 */
public final class RecordText {
    private final StringBuilder text;
    private String before = "";

    private RecordText(String name) {
        text = new StringBuilder(name).append('[');
    }

    /**
     * Begins the text of a record.
     *
     * @param what a record
     * @return its text, without parts so far
     */
    public static RecordText of(Record what) {
        return new RecordText(what.getClass().getSimpleName());
    }

    /**
     * Adds a part.
     *
     * @param part its name
     * @param value what to show
     * @return this
     */
    public RecordText with(String part, Object value) {
        var shown = shown(value);
        if (shown != null) {
            text.append(before).append(part).append('=').append(shown);
            before = ", ";
        }
        return this;
    }

    private static @Nullable Object shown(Object value) {
        return switch (value) {
            case Optional<?> maybe -> maybe.isPresent() ? shown(maybe.get()) : null;
            case OptionalInt maybe -> maybe.isPresent() ? maybe.getAsInt() : null;
            case Collection<?> none when none.isEmpty() -> null;
            case Map<?, ?> none when none.isEmpty() -> null;
            case Class<?> known -> known.getName();
            case SSLContext tls -> tls.getProtocol();
            default -> value;
        };
    }

    @Override
    public String toString() {
        return text + "]";
    }
}
