package io.fibry.codec;

import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/** Texts from outside in messages: short, and without control characters. */
final class Texts {
    private static final int LONGEST = 60;
    private static final int MOST = 20;

    private Texts() {
    }

    static String quoted(String text) {
        var printable = (text.length() > LONGEST ? text.substring(0, LONGEST) + "…" : text)
                .replaceAll("\\p{Cntrl}", "?");
        return '"' + printable + '"';
    }

    static String some(Collection<String> names) {
        var sorted = List.copyOf(new TreeSet<>(names));
        return sorted.size() <= MOST ? String.join(", ", sorted)
                : String.join(", ", sorted.subList(0, MOST)) + " and " + (sorted.size() - MOST) + " more";
    }
}
