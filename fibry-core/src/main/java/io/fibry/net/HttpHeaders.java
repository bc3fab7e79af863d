package io.fibry.net;

import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The headers of a request or of an answer, in order. Names are the same in upper and lower case. */
public interface HttpHeaders {
    /**
     * Returns the first value of a header.
     *
     * @param name the name of the header
     * @return the value; null if there is no such header
     */
    @Nullable String first(String name);

    /**
     * Returns all values of a header.
     *
     * @param name the name of the header
     * @return the values, one for each time that the header is there; empty if there is no such header
     */
    List<String> get(String name);

    /**
     * Adds a header to those that are there.
     *
     * @param name the name of the header
     * @param value the value
     * @throws IllegalArgumentException if the header cannot be sent; see {@link HttpAnswer.Header}
     * @throws UnsupportedOperationException if these are the headers of a request
     */
    void add(String name, String value);

    /**
     * Sets the only value of a header.
     *
     * @param name the name of the header
     * @param value the value; null removes the header
     * @throws IllegalArgumentException if the header cannot be sent; see {@link HttpAnswer.Header}
     * @throws UnsupportedOperationException if these are the headers of a request
     */
    void set(String name, @Nullable String value);

    /**
     * Calls code for each header.
     *
     * @param code gets names, as they were sent or set, and values
     */
    void forEach(BiConsumer<String, String> code);
}
