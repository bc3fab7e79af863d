package io.fibry.browser;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * What holds on every page of the project, on a desktop and on a phone, in light and dark colours: nothing is wider than the window, cut off
 * or an empty box, a legend is seen at once, what is not known says why, numbers and nouns agree, texts can be read, and the page looks like
 * the others. The file {@code rules.js} has the rules.
 */
public final class PageRules {
    private static final String RULES = rules();
    private static final int DESKTOP = 1280;
    private static final int DESKTOP_HEIGHT = 800;
    private static final int PHONE = 390;
    private static final int PHONE_HEIGHT = 844;

    private PageRules() {
    }

    /**
     * Looks at a page with live figures at two sizes, each in light and dark colours. With {@code fibry.look=FOLDER} pictures are left there to look at.
     *
     * @param tab the tab that shows the page; its size and colours change
     * @param name what it shows, which is the name of the pictures
     */
    public static void look(Tab tab, String name) {
        for (int width : List.of(DESKTOP, PHONE)) {
            tab.size(width, width == DESKTOP ? DESKTOP_HEIGHT : PHONE_HEIGHT, 1);
            for (var colours : List.of("light", "dark")) {
                tab.prefer("prefers-color-scheme", colours);
                var shown = name + "-" + width + "-" + colours;
                tab.drawn();
                picture(tab, shown);
                tab.until(RULES, "", shown);
            }
        }
        if (!tab.problems().isEmpty()) {
            throw new AssertionError(name + ": " + tab.problems());
        }
    }

    /**
     * Changes a page, and says which rules it breaks then, before the page can mend itself.
     *
     * @param tab the tab that shows the page
     * @param change the code that changes it
     * @return the breaches, one a line; empty if there is none
     */
    public static String after(Tab tab, String change) {
        return tab.see(
                "(() => { " + change + ";\nreturn " + RULES.substring(RULES.indexOf("(() =>")) + " })()");
    }

    private static void picture(Tab tab, String name) {
        var folder = System.getProperty("fibry.look");
        if (folder != null) {
            try {
                tab.picture(Path.of(folder, name + ".png"));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static String rules() {
        try (var in = PageRules.class.getResourceAsStream("rules.js")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
