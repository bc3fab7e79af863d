package io.fibry.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A method that changes something has a verb as its name, no simple name of a class is used twice, and what is imported is used. */
class NamesInCodeTest {
    private static final Pattern IMPORT =
            Pattern.compile("^import (?:static )?[\\w.]+\\.(\\w+);$", Pattern.MULTILINE);
    private static final Pattern WORD = Pattern.compile("\\w+");

    @Test
    void aMethodThatReturnsNothingIsNoQuestion() {
        noMethods().that().haveRawReturnType(void.class).should()
                .haveNameMatching("(is|are|has|was|were|does)[A-Z].*")
                .check(MainCode.classes());
    }

    @Test
    void noSimpleNameIsUsedTwice() throws IOException {
        var seen = new TreeMap<String, List<Path>>();
        for (var file : MainSources.files()) {
            var name = file.getFileName().toString().replaceAll("\\.\\w+", "");
            if (!name.endsWith("-info")) {
                seen.computeIfAbsent(name, key -> new ArrayList<>()).add(MainSources.ROOT.relativize(file));
            }
        }
        assertThat(seen).hasSizeGreaterThan(500).containsKeys("ActorShop", "HttpHelloExperiment",
                "WebConnection");
        seen.values().removeIf(paths -> paths.size() == 1);
        assertThat(seen).isEmpty();
    }

    /** A name that stands in a comment alone is used there. */
    @Test
    void whatIsImportedIsUsed() throws IOException {
        var unused = new ArrayList<String>();
        int imports = 0;
        for (var file : MainSources.withTests()) {
            var text = Files.readString(file);
            var words = Set.of(WORD.matcher(IMPORT.matcher(text).replaceAll("")).results()
                    .map(MatchResult::group).distinct().toArray(String[]::new));
            for (var each : IMPORT.matcher(text).results().toList()) {
                imports++;
                if (!words.contains(each.group(1))) {
                    unused.add(MainSources.ROOT.relativize(file) + ": " + each.group().strip());
                }
            }
        }
        assertThat(imports).isGreaterThan(10_000);
        assertThat(unused).isEmpty();
    }
}
