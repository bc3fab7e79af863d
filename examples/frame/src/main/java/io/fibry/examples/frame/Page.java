package io.fibry.examples.frame;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * Reads the pages of examples. A page is one file, in the resources beside the example; what it is sent as has everything in it, also the
 * stylesheet that all pages share.
 */
public final class Page {
    private static final String LINK = "<link rel=\"stylesheet\" href=\"page.css\">";

    private Page() {
    }

    /**
     * Reads a page.
     *
     * @param example a class beside it
     * @param file the name of the page
     * @return the source of the page, with the shared stylesheet where the page links to {@code page.css}
     */
    public static String of(Class<?> example, String file) {
        return read(example, file).replace(LINK, "<style>\n" + read(Page.class, "page.css") + "</style>");
    }

    private static String read(Class<?> beside, String file) {
        try (var in = beside.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalArgumentException("there is no file " + file + " beside " + beside);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
