package io.fibry.net;

import java.util.List;

/**
 * A library that reads and writes JSON. The module fibry-jackson has one; a program can implement this interface for
 * another library. Implementations are thread-safe.
 */
public interface JsonFormat {
    /**
     * Writes a value.
     *
     * @param value the value
     * @return JSON, in UTF-8
     * @throws RuntimeException if the value cannot be written; that is a fault of the program
     */
    byte[] write(Object value);

    /**
     * Reads a value.
     *
     * @param <T> the type of the value
     * @param json JSON, in UTF-8
     * @param type the type of the value
     * @return the value, which is not null
     * @throws HttpProblem with status 400 if the bytes are no JSON, or do not fit the type; its text is sent to clients, so it
     *     says where the fault is and names no class of the program
     * @throws RuntimeException if no JSON fits the type; that is a fault of the program
     */
    <T> T read(byte[] json, Class<T> type);

    /**
     * Reads a list.
     *
     * @param <T> the type of the elements
     * @param json JSON, in UTF-8
     * @param element the type of the elements
     * @return the list, which has no null
     * @throws HttpProblem with status 400 if the bytes are no JSON, or do not fit the type; its text is sent to clients, so it
     *     says where the fault is and names no class of the program
     * @throws RuntimeException if no JSON fits the type; that is a fault of the program
     */
    <T> List<T> readList(byte[] json, Class<T> element);
}
