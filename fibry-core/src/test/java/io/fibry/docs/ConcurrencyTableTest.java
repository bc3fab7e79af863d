package io.fibry.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.docs.FieldTable.Field;
import io.fibry.docs.FieldTable.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The tables of {@code docs/concurrency.md} are compared with the sources of the modules that are published. A commit
 * that adds, renames or removes a field that threads share also changes its row. What counts as shared is said by
 * {@link SharedFields}, how a row is written by {@link FieldTable}.
 */
class ConcurrencyTableTest {
    private static final Pattern NOT_PLAIN = Pattern.compile(
            "volatile|CAS|exchange|opaque|acquire|release|atomic|adder|concurrent|copy on write|lock|latch|semaphore"
                    + "|future");

    /** The modules that are published and have fields that threads share. */
    private static final List<String> MODULES =
            List.of("fibry-core", "fibry-patterns", "fibry-web", "fibry-inside", "fibry-test",
                    "fibry-micrometer",
                    "fibry-opentelemetry", "fibry-spring-boot-starter", "fibry-durable",
                    "fibry-cluster", "fibry-cluster-infinispan");

    private static SharedFields sources;
    private static FieldTable table;

    @BeforeAll
    static void read() throws IOException {
        assumeTrue(ToolProvider.getSystemJavaCompiler() != null, "this Java has no compiler");
        sources = SharedFields.of(Stream.concat(
                MODULES.stream().map(module -> Path.of("..", module, "src", "main", "java")),
                Stream.of(Path.of("..", "fibry-test", "src", "threads", "java"))).toArray(Path[]::new));
        table = FieldTable.of(DocBlocks.FOLDER.resolve("concurrency.md"));
    }

    private static List<Field> named() {
        return table.rows().stream().filter(row -> row.kind() == Kind.FIELDS)
                .flatMap(row -> row.fields().stream()).toList();
    }

    @Test
    void everyRowCanBeRead() {
        assertThat(table.mistakes()).isEmpty();
        assertThat(table.rows()).hasSizeGreaterThan(100);
    }

    @Test
    void everySharedFieldHasARow() {
        var missing = new TreeSet<>(sources.shared());
        named().forEach(field -> missing.remove(field.toString()));
        assertThat(missing).as("fields that threads share and docs/concurrency.md does not have").isEmpty();
    }

    @Test
    void everyClassOfSharedStateHasARow() {
        var missing = new TreeSet<>(sources.concurrentClasses());
        table.rows().stream().filter(row -> row.kind() == Kind.ITSELF)
                .forEach(row -> missing.remove(row.fields().getFirst().className()));
        assertThat(missing).as("subclasses of java.util.concurrent's that docs/concurrency.md does not have")
                .isEmpty();
    }

    @Test
    void everyRowIsAboutWhatIsThere() {
        var mistakes = new ArrayList<String>();
        for (var row : table.rows()) {
            for (var field : row.fields()) {
                var isThere = sources.hasClass(field.className()) && switch (row.kind()) {
                    case FIELDS -> sources.namesIn(field.className()).contains(field.name());
                    case ITSELF -> sources.concurrentClasses().contains(field.className());
                    case OTHERS -> !others(field.className()).isEmpty();
                };
                if (!isThere) {
                    mistakes.add(field + ": " + row.text());
                }
            }
        }
        assertThat(mistakes).as("rows of docs/concurrency.md about nothing").isEmpty();
    }

    private static List<String> others(String className) {
        var named = new HashSet<>(named());
        return sources.namesIn(className).stream().filter(name -> !named.contains(new Field(className, name)))
                .filter(name -> !sources.isShared(className, name)).toList();
    }

    @Test
    void aFieldHasOneRow() {
        var seen = new HashSet<Field>();
        assertThat(
                table.rows().stream().flatMap(row -> row.fields().stream()).filter(field -> !seen.add(field)))
                .as("named twice in docs/concurrency.md").isEmpty();
    }

    @Test
    void aRowSaysHowItsFieldsAreAccessed() {
        var mistakes = new ArrayList<String>();
        for (var row : table.rows()) {
            var isNotPlain = NOT_PLAIN.matcher(row.how()).find();
            var anyShared = row.kind() == Kind.ITSELF || row.kind() == Kind.FIELDS && row.fields().stream()
                    .anyMatch(field -> sources.shared().contains(field.toString()));
            if (row.how().isEmpty() || isNotPlain != anyShared) {
                mistakes.add((anyShared ? "shared: " : "plain: ") + row.text());
            }
        }
        assertThat(mistakes).as("rows of docs/concurrency.md whose access is not that of the sources")
                .isEmpty();
    }
}
