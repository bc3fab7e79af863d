package io.fibry.examples.frame;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Reads the pages of examples. A page is one file with everything in it, in the resources beside the example. */
public final class Page {
    private Page() {
    }

    /**
     * Reads a page.
     *
     * @param example a class beside it
     * @param file the name of the page
     * @return the source of the page
     */
    public static String of(Class<?> example, String file) {
        try (var in = example.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalArgumentException("there is no page " + file + " beside " + example);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
