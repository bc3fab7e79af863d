package io.fibry.net;

import java.util.Optional;

/**
 * A server-sent event.
 *
 * @param data the text of the event, of any number of lines
 * @param name the kind of the event
 * @param id the id of the event; a client that connects again sends the last id that it has seen
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
     * Returns an event without a name and an id.
     *
     * @param data the text of the event
     * @return the event
     */
    public static HttpEvent of(String data) {
        return new HttpEvent(data, Optional.empty(), Optional.empty());
    }

    /**
     * Returns the same event with another name.
     *
     * @param newName one line
     * @return the new event
     */
    public HttpEvent name(String newName) {
        return new HttpEvent(data, Optional.of(newName), id);
    }

    /**
     * Returns the same event with another id.
     *
     * @param newId one line
     * @return the new event
     */
    public HttpEvent id(String newId) {
        return new HttpEvent(data, name, Optional.of(newId));
    }

    /** Returns the event in the form in which it is sent. */
    String encoded() {
        var text = new StringBuilder();
        name.ifPresent(value -> text.append("event: ").append(value).append('\n'));
        id.ifPresent(value -> text.append("id: ").append(value).append('\n'));
        for (var line : data.split("\r\n|\r|\n", -1)) {
            text.append("data: ").append(line).append('\n');
        }
        return text.append('\n').toString();
    }
}
