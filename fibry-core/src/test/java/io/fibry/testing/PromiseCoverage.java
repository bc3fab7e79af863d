package io.fibry.testing;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * Compares the numbered sentences of {@code docs/semantics*.md} with the tests that claim to prove them. A section belongs to the module that its title ends with, or to
 * that of the page, or to fibry-core.
 */
public final class PromiseCoverage {
    private static final Pattern SENTENCE =
            Pattern.compile("^- \\*\\*(\\d+\\.\\d+)\\*\\*", Pattern.MULTILINE);

    private static final Pattern SECTION =
            Pattern.compile("^##? .*?(?:\\((fibry-[a-z-]+)\\))?$", Pattern.MULTILINE);

    private PromiseCoverage() {
    }

    /** What is wrong with the promises of a module, in words, where the test classes are those of a test. */
    public static List<String> faults(String module, Class<?> test) throws IOException, URISyntaxException {
        var sentences = new ArrayList<String>();
        for (var page : pages()) {
            sentences.addAll(sentences(Files.readString(page), module));
        }
        var classes = test.getProtectionDomain().getCodeSource().getLocation().toURI();
        return faults(sentences, proved(Path.of(classes)));
    }

    /** The pages with promises. */
    public static List<Path> pages() throws IOException {
        try (var pages = Files.newDirectoryStream(Path.of("..", "docs"), "semantics*.md")) {
            return StreamSupport.stream(pages.spliterator(), false).sorted().toList();
        }
    }

    /** The numbers of a page that a module has to prove. */
    public static List<String> sentences(String page, String module) {
        var mine = new StringBuilder();
        var ofPage = "fibry-core";
        var sections = SECTION.matcher(page).results().toList();
        for (var i = 0; i < sections.size(); i++) {
            var title = sections.get(i);
            var owner = Objects.requireNonNullElse(title.group(1), ofPage);
            if (title.group().startsWith("# ")) {
                ofPage = owner;
            }
            if (module.equals(owner)) {
                mine.append(page, title.end(),
                        i + 1 < sections.size() ? sections.get(i + 1).start() : page.length());
            }
        }
        return sentences(mine.toString());
    }

    /** All numbers of a page. */
    public static List<String> sentences(String page) {
        return SENTENCE.matcher(page).results().map(match -> match.group(1)).toList();
    }

    /** The modules that own sections. */
    public static Set<String> modules(String page) {
        return SECTION.matcher(page).results().map(match -> match.group(1)).filter(Objects::nonNull)
                .collect(Collectors.toSet());
    }

    /** What is wrong, in words; empty if every sentence has a test and every number has a sentence. */
    public static List<String> faults(List<String> sentences, Set<String> proved) {
        var faults = new ArrayList<String>();
        var seen = new TreeSet<String>();
        for (var number : sentences) {
            if (!seen.add(number)) {
                faults.add("docs/semantics*.md have " + number + " twice");
            }
            if (!proved.contains(number)) {
                faults.add("no test carries @Promise(\"" + number + "\")");
            }
        }
        for (var number : proved) {
            if (!seen.contains(number)) {
                faults.add("a test carries @Promise(\"" + number + "\"), but docs/semantics*.md have no "
                        + number);
            }
        }
        if (sentences.isEmpty()) {
            faults.add("docs/semantics*.md have no numbered sentences");
        }
        return faults;
    }

    /** The numbers that the test classes under a folder carry. */
    public static Set<String> proved(Path classes) throws IOException {
        var proved = new TreeSet<String>();
        for (var type : ClassFiles.naming(classes, Promise.class)) {
            proved.addAll(proved(type));
        }
        return proved;
    }

    public static Set<String> proved(Class<?> type) {
        var proved = new TreeSet<String>();
        var onClass = type.getAnnotation(Promise.class);
        if (onClass != null) {
            proved.addAll(Arrays.asList(onClass.value()));
        }
        for (var method : type.getDeclaredMethods()) {
            var onMethod = method.getAnnotation(Promise.class);
            if (onMethod != null) {
                proved.addAll(Arrays.asList(onMethod.value()));
            }
        }
        return proved;
    }
}
