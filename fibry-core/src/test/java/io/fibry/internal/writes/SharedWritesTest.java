package io.fibry.internal.writes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.internal.writes.WriteLog.Write;
import io.fibry.test.threads.SeededThreads;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Each write of the engine to a word that other threads read or write is in docs/scaling.md. */
@Tag("once")
class SharedWritesTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "scaling.md");
    private static final String HEADER = "| operation | by | atomic | volatile, release | opaque | JDK |";
    private static final List<String> OPERATIONS =
            List.of("tell, idle", "tell, idle, in a scope", "tell, busy",
                    "tell, busy, bounded", "hop", "ask", "ask, waiting with a limit", "ask from outside",
                    "displaced turn", "timer, cancelled", "timer, fired", "limit, cancelled");
    private static final List<String> KINDS = List.of("atomic", "volatile", "opaque", "JDK");

    private static Class<?> operations;

    @BeforeAll
    static void load() throws Exception {
        assumeTrue(SeededThreads.isPossible(), "this JDK does not let tests carry virtual threads");
        operations = new CountingLoader().loadClass(Operations.class.getName());
    }

    @ParameterizedTest
    @FieldSource("OPERATIONS")
    void theDocumentHasEachWrite(String operation) throws Exception {
        var rows = rows(operation, 1);
        assertThat(rows(operation, 2)).as("by another schedule").isEqualTo(rows);
        assertThat(rowsOfDocument().filter(row -> row.startsWith("| " + operation + " |")).toList())
                .as("rows of docs/scaling.md; expected are the writes that were counted")
                .isEqualTo(rows);
    }

    @Test
    void theDocumentHasNoOtherOperation() throws Exception {
        assertThat(rowsOfDocument().map(row -> row.split("\\|")[1].strip())).isSubsetOf(OPERATIONS);
    }

    private static Stream<String> rowsOfDocument() throws Exception {
        var lines = Files.readAllLines(DOCUMENT);
        return lines.stream().skip(lines.indexOf(HEADER) + 2L).takeWhile(line -> line.startsWith("|"));
    }

    @SuppressWarnings("unchecked")
    private static List<String> rows(String operation, long seed) throws Exception {
        var writes = (List<Write>) operations.getMethod("writes", String.class, long.class).invoke(null,
                operation, seed);
        return Stream.of("the sender", "lanes", "the timer thread").map(by -> row(operation, by,
                writes.stream().filter(write -> by(write.thread()).equals(by)).toList()))
                .filter(row -> row.contains("`")).toList();
    }

    private static String by(Thread thread) {
        return switch (thread.getName()) {
            case Operations.SENDER -> "the sender";
            case Operations.TIMER -> "the timer thread";
            default -> "lanes";
        };
    }

    private static String row(String operation, String by, List<Write> writes) {
        return "| " + operation + " | " + by + " | "
                + KINDS.stream().map(kind -> cell(kind, writes)).collect(Collectors.joining(" | ")) + " |";
    }

    private static String cell(String kind, List<Write> writes) {
        var counts = new TreeMap<String, Integer>();
        writes.stream().filter(write -> kindOf(write.mode()).equals(kind))
                .forEach(write -> counts.merge(write.word(), 1, Integer::sum));
        return counts.entrySet().stream().map(SharedWritesTest::text).filter(text -> !text.isEmpty())
                .collect(Collectors.joining(", "));
    }

    private static String kindOf(String mode) {
        return switch (mode) {
            case "setVolatile", "setRelease" -> "volatile";
            case "setOpaque" -> "opaque";
            case "execute", "unpark", "start", "interrupt" -> "JDK";
            default -> "atomic";
        };
    }

    /** What happens less often than once in two hundred times is the beginning or the end of all times. */
    private static String text(Map.Entry<String, Integer> count) {
        var each = String.format(Locale.ROOT, "%.2f", count.getValue() / (double) Operations.TIMES)
                .replaceFirst("\\.?0+$", "");
        return switch (each) {
            case "0", "" -> "";
            case "1" -> "`" + count.getKey() + "`";
            default -> each + " `" + count.getKey() + "`";
        };
    }
}
