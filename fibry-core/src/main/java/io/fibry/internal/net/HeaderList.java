package io.fibry.internal.net;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a request or of an answer, in order. There are so few of them that a search by hash codes would take longer.
 * Names are the same in upper and lower case.
 */
public final class HeaderList {
    private static final int START = 16;

    /** Names and values in turn. */
    private String[] fields = new String[START];
    private int size;

    /** Adds a header that is known to be well formed. */
    public void put(String name, String value) {
        if (size == fields.length) {
            fields = Arrays.copyOf(fields, size * 2);
        }
        fields[size++] = name;
        fields[size++] = value;
    }

    /** Puts a header, which is known to be well formed, in the place of those with its name. */
    void set(String name, String value) {
        keepOnly((other, any) -> !other.equalsIgnoreCase(name));
        put(name, value);
    }

    /** Tells whether a header stays. */
    interface Filter {
        boolean keeps(String name, String value);
    }

    void keepOnly(Filter filter) {
        var kept = 0;
        for (var i = 0; i < size; i += 2) {
            if (filter.keeps(fields[i], fields[i + 1])) {
                fields[kept++] = fields[i];
                fields[kept++] = fields[i + 1];
            }
        }
        size = kept;
    }

    /** Returns the first value of a header; null if there is no such header. */
    public @Nullable String first(String name) {
        Objects.requireNonNull(name, "name");
        for (var i = 0; i < size; i += 2) {
            if (fields[i].equalsIgnoreCase(name)) {
                return fields[i + 1];
            }
        }
        return null;
    }

    /** Returns all values of a header. */
    public List<String> all(String name) {
        var values = new ArrayList<String>(1);
        for (var i = 0; i < size; i += 2) {
            if (fields[i].equalsIgnoreCase(name)) {
                values.add(fields[i + 1]);
            }
        }
        return values;
    }

    /** Returns whether a header that is a list of words has a word. */
    public boolean lists(String name, String word) {
        for (var i = 0; i < size; i += 2) {
            if (fields[i].equalsIgnoreCase(name) && Arrays.stream(fields[i + 1].split(","))
                    .anyMatch(each -> each.strip().toLowerCase(Locale.ROOT).equals(word))) {
                return true;
            }
        }
        return false;
    }

    /** Calls code for each header. */
    public void forEach(BiConsumer<String, String> code) {
        for (var i = 0; i < size; i += 2) {
            code.accept(fields[i], fields[i + 1]);
        }
    }

    /** Returns the number of headers. */
    int count() {
        return size / 2;
    }

    /** Returns the length of all names and values. */
    long bytes() {
        var bytes = 0L;
        for (var i = 0; i < size; i++) {
            bytes += fields[i].length();
        }
        return bytes;
    }
}
