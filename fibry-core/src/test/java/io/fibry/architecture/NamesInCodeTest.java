package io.fibry.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A method that changes something has a verb as its name, and no simple name of a class is used twice. */
class NamesInCodeTest {
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
}
