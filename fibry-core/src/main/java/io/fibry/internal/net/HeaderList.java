package io.fibry.internal.net;

import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpHeaders;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Headers as a list. Requests have so few of them that a search by hash codes would take longer. */
public final class HeaderList implements HttpHeaders {
    private static final int START = 16;

    private final boolean isOfRequest;
    /** Names and values in turn. */
    private String[] fields = new String[START];
    private int size;

    /** Makes headers. */
    public HeaderList(boolean isOfRequest) {
        this.isOfRequest = isOfRequest;
    }

    /** Adds a header that is known to be well formed. */
    public void put(String name, String value) {
        if (size == fields.length) {
            fields = Arrays.copyOf(fields, size * 2);
        }
        fields[size++] = name;
        fields[size++] = value;
    }

    @Override
    public void add(String name, String value) {
        requireOfAnswer();
        put(name, new HttpAnswer.Header(name, value).value());
    }

    @Override
    public void set(String name, @Nullable String value) {
        requireOfAnswer();
        var checked = value == null ? null : new HttpAnswer.Header(name, value).value();
        keepOnly((other, any) -> !other.equalsIgnoreCase(name));
        if (checked != null) {
            put(name, checked);
        }
    }

    private void requireOfAnswer() {
        if (isOfRequest) {
            throw new UnsupportedOperationException("the headers of a request cannot be changed");
        }
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

    @Override
    public @Nullable String first(String name) {
        Objects.requireNonNull(name, "name");
        for (var i = 0; i < size; i += 2) {
            if (fields[i].equalsIgnoreCase(name)) {
                return fields[i + 1];
            }
        }
        return null;
    }

    @Override
    public List<String> get(String name) {
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

    @Override
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
