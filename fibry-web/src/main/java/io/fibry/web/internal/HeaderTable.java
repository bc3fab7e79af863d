package io.fibry.web.internal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The table to which header fields of HTTP/2 refer (RFC 7541, 2.3): a part that never changes, and the latest fields. */
final class HeaderTable {
    static final int STANDARD_SIZE = 4_096;
    private static final int OF_ENTRY = 32;
    private static final List<Field> FIXED = fixed(":authority", "", ":method", "GET", ":method", "POST",
            ":path",
            "/", ":path", "/index.html", ":scheme", "http", ":scheme", "https", ":status", "200", ":status",
            "204",
            ":status", "206", ":status", "304", ":status", "400", ":status", "404", ":status", "500",
            "accept-charset", "", "accept-encoding", "gzip, deflate", "accept-language", "", "accept-ranges",
            "",
            "accept", "", "access-control-allow-origin", "", "age", "", "allow", "", "authorization", "",
            "cache-control", "", "content-disposition", "", "content-encoding", "", "content-language", "",
            "content-length", "", "content-location", "", "content-range", "", "content-type", "", "cookie",
            "",
            "date", "", "etag", "", "expect", "", "expires", "", "from", "", "host", "", "if-match", "",
            "if-modified-since", "", "if-none-match", "", "if-range", "", "if-unmodified-since", "",
            "last-modified", "", "link", "", "location", "", "max-forwards", "", "proxy-authenticate", "",
            "proxy-authorization", "", "range", "", "referer", "", "refresh", "", "retry-after", "", "server",
            "",
            "set-cookie", "", "strict-transport-security", "", "transfer-encoding", "", "user-agent", "",
            "vary",
            "", "via", "", "www-authenticate", "");

    private final List<Field> latest = new ArrayList<>(); // the latest is the last
    private int size;
    private int most = STANDARD_SIZE;

    /** A header field. */
    record Field(String name, String value) {
        int size() {
            return name.length() + value.length() + OF_ENTRY;
        }
    }

    private static List<Field> fixed(String... namesAndValues) {
        var fields = new ArrayDeque<Field>();
        for (var i = 0; i < namesAndValues.length; i += 2) {
            fields.add(new Field(namesAndValues[i], namesAndValues[i + 1]));
        }
        return List.copyOf(fields);
    }

    /** Returns the field with this number. The first field has the number one. */
    Optional<Field> field(int number) {
        if (number < 1 || number > FIXED.size() + latest.size()) {
            return Optional.empty();
        }
        return Optional.of(number <= FIXED.size()
                ? FIXED.get(number - 1)
                : latest.get(latest.size() - (number - FIXED.size())));
    }

    void add(Field field) {
        shrink(most - field.size());
        if (field.size() <= most) {
            latest.add(field);
            size += field.size();
        } // a field that is too large leaves the table empty
    }

    void resize(int newMost) {
        most = newMost;
        shrink(most);
    }

    private void shrink(int to) {
        var count = 0;
        while (count < latest.size() && size > to) {
            size -= latest.get(count++).size();
        }
        latest.subList(0, count).clear();
    }
}
