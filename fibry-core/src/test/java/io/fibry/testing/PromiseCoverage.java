package io.fibry.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
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

/** Compares the numbered sentences of docs/semantics.md with the tests that claim to prove them. */
public final class PromiseCoverage {
    private static final Pattern SENTENCE =
            Pattern.compile("^- \\*\\*(\\d+\\.\\d+)\\*\\*", Pattern.MULTILINE);

    private static final Pattern SECTION =
            Pattern.compile("^## .*?(?:\\((fibry-[a-z]+)\\))?$", Pattern.MULTILINE);

    private static final String ANNOTATION = Promise.class.descriptorString();

    private PromiseCoverage() {
    }

    /** The numbers that a module has to prove: a section belongs to the one its title ends with, or to fibry-core. */
    public static List<String> sentences(String page, String module) {
        var mine = new StringBuilder();
        var sections = SECTION.matcher(page).results().toList();
        for (var i = 0; i < sections.size(); i++) {
            var owner = sections.get(i).group(1);
            if (module.equals(owner == null ? "fibry-core" : owner)) {
                mine.append(page, sections.get(i).end(),
                        i + 1 < sections.size() ? sections.get(i + 1).start() : page.length());
            }
        }
        return SENTENCE.matcher(mine).results().map(match -> match.group(1)).toList();
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
                faults.add("docs/semantics.md has " + number + " twice");
            }
            if (!proved.contains(number)) {
                faults.add("no test carries @Promise(\"" + number + "\")");
            }
        }
        for (var number : proved) {
            if (!seen.contains(number)) {
                faults.add("a test carries @Promise(\"" + number + "\"), but docs/semantics.md has no "
                        + number);
            }
        }
        if (sentences.isEmpty()) {
            faults.add("docs/semantics.md has no numbered sentences");
        }
        return faults;
    }

    /**
     * The numbers that the test classes under a folder carry. A class that does not name the annotation is not loaded:
     * what it extends may be missing on this Java.
     */
    public static Set<String> proved(Path classes) throws IOException {
        var proved = new TreeSet<String>();
        try (var files = Files.walk(classes)) {
            for (var file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
                if (!Files.readString(file, StandardCharsets.ISO_8859_1).contains(ANNOTATION)) {
                    continue;
                }
                var path = classes.relativize(file).toString();
                proved.addAll(proved(load(path.substring(0, path.length() - ".class".length())
                        .replace(path.contains("\\") ? '\\' : '/', '.'))));
            }
        }
        return proved;
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, PromiseCoverage.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
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
