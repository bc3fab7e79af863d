package io.fibry.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.fibry.testing.Promise;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The module is built on the public API of the other modules, and makes no thread. */
class SpringArchitectureTest {
    @Test
    void onlyThePublicApiIsUsedAndNothingRunsByItself() throws Exception {
        var compiled = NamedActor.class.getProtectionDomain().getCodeSource().getLocation().toURI();
        var classes = new ClassFileImporter().importPath(Path.of(compiled));
        noClasses().should().dependOnClassesThat().resideInAPackage("io.fibry.internal..").check(classes);
        noClasses().should().dependOnClassesThat().areAssignableTo(Thread.class).check(classes);
        noMethods().should().haveModifier(JavaModifier.SYNCHRONIZED).check(classes);
    }

    @Test
    @Promise("59.1")
    void allButTheCoreAndSpringBootsStarterIsOptional() throws Exception {
        var pom = Files.readString(Path.of("pom.xml"));
        var own = pom.substring(pom.lastIndexOf("<dependencies>", pom.indexOf("<artifactId>fibry-core<")),
                pom.indexOf("<build>"));
        var mandatory =
                Pattern.compile("<dependency>(.*?)</dependency>", Pattern.DOTALL).matcher(own).results()
                        .map(each -> each.group(1))
                        .filter(each -> !each.contains("<optional>") && !each.contains("<scope>"))
                        .map(each -> each.replaceAll("(?s).*<artifactId>(.*?)<.*", "$1"));
        assertThat(mandatory).containsExactly("fibry-core", "spring-boot-starter");
    }

    @Test
    @Promise("59.1")
    void editorsKnowTheProperties() throws Exception {
        try (var metadata = getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            assertThat(metadata).isNotNull();
            assertThat(new String(metadata.readAllBytes(), StandardCharsets.UTF_8)).contains(
                    "\"name\": \"fibry.scope.close-timeout\"", "\"defaultValue\": \"30s\"",
                    "\"name\": \"fibry.scope.strategy\"", "\"name\": \"fibry.scope.limits.waiting\"",
                    "\"name\": \"fibry.scope.watchdog.stuck-after\"", "\"name\": \"fibry.async.strategy\"",
                    "\"name\": \"fibry.requests.strategy\"", "\"name\": \"fibry.inside.port\"",
                    "\"description\": \"How many messages may wait for all actors together.\"");
        }
    }
}
