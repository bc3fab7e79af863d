package io.fibry.internal.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.internal.scenario.Marked.Source;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The tests of durable actors find each mistake of {@link StoreMutants}. The profile "thorough" tries all of them, and the normal
 * build the first one of each {@value #ONE_OF}. {@code -Dfibry.mutants} tries those with this in their ids: {@code
 * -Dfibry.mutants=-} all.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class StoreMutantsTest {
    private static final int ONE_OF = 14;
    private static final long LIMIT_SECONDS = 110; // less than JUnit has patience

    @TempDir
    private static Path folder;

    @BeforeAll
    static void compileAll() throws Exception {
        assumeTrue(ModuleLayer.boot().findModule("jdk.compiler").isPresent(),
                "this is a runtime without a compiler");
        var sources = new LinkedHashMap<Mutant, Source>();
        Markers.below(Markers.SOURCES).placesOf(StoreMutants.ALL)
                .forEach((mutant, place) -> sources.put(mutant, mutant.source(place)));
        new MutantCompiler(folder, System.getProperty("java.class.path")).compile(sources);
    }

    static List<Mutant> mutants() {
        var only = System.getProperty("fibry.mutants");
        if (only != null) {
            return StoreMutants.ALL.stream().filter(mutant -> mutant.id().contains(only)).toList();
        }
        return Boolean.getBoolean("fibry.thorough")
                ? StoreMutants.ALL
                : StoreMutants.ALL.stream().filter(mutant -> StoreMutants.ALL.indexOf(mutant) % ONE_OF == 0)
                        .toList();
    }

    @Order(2)
    @ParameterizedTest(name = "{0}")
    @MethodSource("mutants")
    void isFound(Mutant mutant) throws Exception {
        assertThat(verdict(mutant.scenarios(), folder.resolve(mutant.id()) + File.pathSeparator))
                .startsWith("FAILED");
    }

    /** Without this, a mutant could be found by a mistake of its trial. */
    @Order(1)
    @ParameterizedTest(name = "{0}")
    @MethodSource("mutants")
    void theStoreItselfPasses(Mutant mutant) throws Exception {
        assertThat(verdict(mutant.scenarios(), "")).isEqualTo("PASSED");
    }

    private static String verdict(String tests, String changed) throws Exception {
        var log = folder.resolve("trial.log").toFile();
        var process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED", "--add-opens", "java.base/java.lang=ALL-UNNAMED",
                "--add-opens",
                "java.base/jdk.internal.vm=ALL-UNNAMED", "-cp",
                changed + System.getProperty("java.class.path"), StoreMutantTrial.class.getName(), tests)
                .redirectErrorStream(true).redirectOutput(log).start();
        try {
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                return "no end within " + LIMIT_SECONDS + " s";
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
        return Files.readString(log.toPath()).lines().filter(line -> line.matches("(PASSED|FAILED|BROKEN).*"))
                .reduce((before, line) -> line).orElse("no verdict");
    }
}
