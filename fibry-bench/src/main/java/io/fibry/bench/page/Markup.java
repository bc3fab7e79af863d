package io.fibry.bench.page;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;

/** Text inside HTML and SVG. */
final class Markup {
    private Markup() {
    }

    /** Escapes a text, for the content of an element or for an attribute. */
    static String escape(Object text) {
        return text.toString().replace("&", "&amp;").replace("${", "&#36;{").replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;").replace("'", "&#39;");
    }

    /** Returns a coordinate of a drawing as text. */
    static String at(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    /** Fills a template: each {@code ${name}} becomes the value after its name. */
    static String fill(String template, Object... namesAndValues) {
        var text = template;
        for (int i = 0; i < namesAndValues.length; i += 2) {
            text = text.replace("${" + namesAndValues[i] + "}", namesAndValues[i + 1].toString());
        }
        return text;
    }

    static String resource(String name) {
        try (var in = Objects.requireNonNull(Markup.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }
}
