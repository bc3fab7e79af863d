package io.fibry.codec;

import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Texts from outside in messages: short, and without control characters. */
final class Texts {
    private static final int LONGEST = 60;
    private static final int MOST = 20;
    /** Also what begins a line, or turns the direction of the text behind it. */
    private static final Pattern CONTROLS = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

    private Texts() {
    }

    static String quoted(String text) {
        return '"' + plain(text, LONGEST) + '"';
    }

    static String plain(String text, int longest) {
        var start = text.length() > longest ? text.substring(0, longest) + "…" : text;
        return CONTROLS.matcher(start).replaceAll("?");
    }

    static String some(Collection<String> names) {
        var sorted = List.copyOf(new TreeSet<>(names));
        return sorted.size() <= MOST ? String.join(", ", sorted)
                : String.join(", ", sorted.subList(0, MOST)) + " and " + (sorted.size() - MOST) + " more";
    }

    /** A text that has a form in UTF-8. Jackson reads some that have none. */
    static String wellFormed(String text) {
        int i = 0;
        while (i < text.length()) {
            int point = text.codePointAt(i);
            if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
                throw new Fault(
                        "has half of a surrogate pair at character " + i + ", which is no text: use byte[]");
            }
            i += Character.charCount(point);
        }
        return text;
    }
}
