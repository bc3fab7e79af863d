package io.fibry.inside;

import java.util.Collection;
import java.util.function.Consumer;

/** Writes JSON. Confined to one thread. Whatever a text contains, it stays a text. */
final class JsonText {
    private final StringBuilder text = new StringBuilder(1_024);
    /** Whether the next element or name follows another one. */
    private boolean follows;

    JsonText object(Runnable content) {
        return enclosed('{', content, '}');
    }

    JsonText array(Runnable content) {
        return enclosed('[', content, ']');
    }

    <T> JsonText array(String name, Collection<T> elements, Consumer<T> element) {
        return name(name).array(() -> elements.forEach(element));
    }

    private JsonText enclosed(char begin, Runnable content, char end) {
        separate();
        text.append(begin);
        follows = false;
        content.run();
        text.append(end);
        follows = true;
        return this;
    }

    JsonText name(String name) {
        separate();
        quote(name);
        text.append(':');
        follows = false;
        return this;
    }

    JsonText with(String name, String value) {
        return name(name).value(value);
    }

    JsonText with(String name, long value) {
        return name(name).value(value);
    }

    JsonText with(String name, double value) {
        return name(name).value(value);
    }

    JsonText with(String name, boolean value) {
        name(name).separate();
        text.append(value);
        follows = true;
        return this;
    }

    JsonText value(String value) {
        separate();
        quote(value);
        follows = true;
        return this;
    }

    JsonText value(long value) {
        separate();
        text.append(value);
        follows = true;
        return this;
    }

    /** Writes a number with at most three digits after the point; null if it is not a number. */
    JsonText value(double value) {
        separate();
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            text.append("null");
        } else if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            text.append((long) value);
        } else {
            text.append(Math.round(value * 1e3) / 1e3);
        }
        follows = true;
        return this;
    }

    private void separate() {
        if (follows) {
            text.append(',');
        }
        follows = false;
    }

    private void quote(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            var c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ' || c >= 0x7f || c == '<' || c == '>' || c == '&') {
                escape(c);
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }

    private void escape(char c) {
        text.append("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
            text.append(Character.forDigit(c >> shift & 0xf, 16));
        }
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
