package io.fibry.internal.scenario;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The engine with one mistake in it, which tests must find.
 *
 * @param name what is wrong
 * @param file the source file, in the engine's folder
 * @param scenarios which of them find it, with commas between them
 * @param find what stands in the file, exactly once; white space of any kind matches any other
 * @param replace what stands there instead
 */
record Mutant(String name, String file, String scenarios, String find, String replace) {
    static final Path ENGINE = Path.of("src", "main", "java", "io", "fibry", "internal");

    String folder() {
        return name.replaceAll("\\W+", "-");
    }

    /** The source text with the mistake. */
    String source() throws IOException {
        var source = Files.readString(ENGINE.resolve(file));
        var pattern = Pattern.compile(Arrays.stream(find.strip().split("\\s+")).map(Pattern::quote)
                .collect(Collectors.joining("\\s+")));
        var count = pattern.matcher(source).results().count();
        if (count != 1) {
            throw new AssertionError(
                    "mutant '" + name + "': this must be found once in " + file + ", and was found "
                            + count + " times; adapt the list of mutants to the engine:\n" + find);
        }
        return pattern.matcher(source).replaceFirst(Matcher.quoteReplacement(replace));
    }

    @Override
    public String toString() {
        return name;
    }
}
