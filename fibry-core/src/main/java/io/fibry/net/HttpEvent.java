package io.fibry.net;

import io.fibry.text.RecordText;
import java.util.Optional;

/**
 * One server-sent event.
 *
 * @param data its text, of any number of lines
 * @param name what kind of event it is
 * @param id what a client that comes back says it has seen last
 */
public record HttpEvent(String data, Optional<String> name, Optional<String> id) {
    /**
     * Checks that name and id are one line each.
     *
     * @param data any text
     * @param name one line
     * @param id one line
     */
    public HttpEvent {
        requireOneLine("name", name);
        requireOneLine("id", id);
    }

    private static void requireOneLine(String what, Optional<String> value) {
        if (value.isPresent() && value.get().chars().anyMatch(c -> c == '\r' || c == '\n' || c == 0)) {
            throw new IllegalArgumentException(
                    "the " + what + " of an event must be one line: '" + value.get() + "'");
        }
    }

    /**
     * An event without name and id.
     *
     * @param data its text
     * @return the event
     */
    public static HttpEvent of(String data) {
        return new HttpEvent(data, Optional.empty(), Optional.empty());
    }

    /**
     * The same with a name.
     *
     * @param newName one line
     * @return the event that has it
     */
    public HttpEvent name(String newName) {
        return new HttpEvent(data, Optional.of(newName), id);
    }

    /**
     * The same with an id.
     *
     * @param newId one line
     * @return the event that has it
     */
    public HttpEvent id(String newId) {
        return new HttpEvent(data, name, Optional.of(newId));
    }

    /** As it is sent. */
    String encoded() {
        var text = new StringBuilder();
        name.ifPresent(value -> text.append("event: ").append(value).append('\n'));
        id.ifPresent(value -> text.append("id: ").append(value).append('\n'));
        for (var line : data.split("\r\n|\r|\n", -1)) {
            text.append("data: ").append(line).append('\n');
        }
        return text.append('\n').toString();
    }

    @Override
    public String toString() {
        return RecordText.of(this).with("data", data).with("name", name).with("id", id).toString();
    }
}
