package io.fibry.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.architecture.SharedFields.Field;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A field that threads share says in its comment who writes it. What counts as shared is said by {@link SharedFields}. */
class SharedFieldsTest {
    private static final Pattern WRITER =
            Pattern.compile("\\b(?:written|set|made) (?:by|once|under)\\b", Pattern.CASE_INSENSITIVE);

    private static boolean isOfTheLibrary(Path file) {
        var path = MainSources.ROOT.relativize(file).toString();
        return path.startsWith("fibry-") && !path.matches("fibry-(bench|stress).*") && path.endsWith(".java")
                && !file.endsWith("module-info.java");
    }

    private static List<String> withoutWriter(List<Field> fields) {
        return fields.stream().filter(field -> !field.isFinal() && !WRITER.matcher(field.comment()).find())
                .map(field -> field.name() + (field.comment().isEmpty() ? "" : ": " + field.comment()))
                .toList();
    }

    @Test
    void aFieldThatThreadsShareSaysWhoWritesIt() throws IOException {
        var fields = SharedFields
                .in(MainSources.files().stream().filter(SharedFieldsTest::isOfTheLibrary).toList());

        assertThat(fields).hasSizeGreaterThan(300);
        assertThat(withoutWriter(fields))
                .as("""
                        Fields that threads share, and whose comment does not say who writes them. A comment before the field, \
                        or before the first of the fields that follow one another, says it: "Written by the turn", "Set by \
                        stoppers, by CAS", "Made once", "Written under the lock". A field that is final, as of a class of \
                        java.util.concurrent, needs no such comment""")
                .isEmpty();
    }

    @Test
    void aFieldHasItsOwnCommentOrThatOfItsGroup(@TempDir Path folder) throws IOException {
        var source = Files.writeString(folder.resolve("A.java"), """
                class A {
                    static final VarHandle PLAIN = FieldAccess.of(lookup(), "plain", int.class);
                    final AtomicLong count = new AtomicLong();
                    /** Whether it is over. Set by stoppers. */
                    private volatile boolean over;
                    private volatile boolean alsoOver;

                    private volatile boolean alone;
                    /**
                     * A part.
                     * Written under the lock.
                     */
                    private volatile Object
                            part = new Object();
                    // A number, no more.
                    int plain;
                    int own;
                    static class Nested {
                        @Nullable volatile String text;
                    }
                    record R(AtomicLong count) {
                        static volatile int number;
                    }
                }
                """);
        var fields = SharedFields.in(List.of(source));

        assertThat(fields).extracting(Field::name).containsExactlyInAnyOrder("A.count", "A.over",
                "A.alsoOver",
                "A.alone", "A.part", "A.plain", "A.Nested.text", "A.R.count", "A.R.number");
        assertThat(withoutWriter(fields)).containsExactlyInAnyOrder("A.alone",
                "A.plain: // A number, no more.", "A.Nested.text", "A.R.number");
    }
}
