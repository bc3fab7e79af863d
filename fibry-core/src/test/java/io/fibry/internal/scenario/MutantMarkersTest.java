package io.fibry.internal.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.internal.scenario.Marked.Source;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is wrong with a mutant or a marker is found in seconds, before {@link MutantsTest} tries any. */
class MutantMarkersTest {
    @BeforeAll
    static void thereIsACompiler() {
        assumeTrue(MutantRun.isPossible(), "this is a runtime without a compiler");
    }

    /** {@link MutantsTest}, which runs in the same build, finds the same; this test is for one who adds a mutant. */
    @Test
    @Tag("thorough")
    void eachMutantHasItsMarkerAndEachMarkerItsMutantAndAllCompile(@TempDir Path folder) throws Exception {
        MutantRun.compileAll(new EngineSuite(), folder);
    }

    private static Source method(String body) {
        return new Source("A.java",
                "class A {\n boolean a, b, c; Object x; java.util.concurrent.atomic.AtomicInteger n;\n"
                        + " boolean m(int i) {\n" + body + "\n }\n void call(Object... all) { }\n}\n");
    }

    static List<Arguments> changes() {
        return List.of(
                Arguments.of(Change.drop(), "call(1); call(2); return a;", "; call(2); return a;"),
                Arguments.of(Change.drop(2), "call(1); /* first */ call(2); return a;",
                        "; /* first */ ; return a;"),
                Arguments.of(Change.behind(2, "call(0);"), "call(1); call(2); call(3); return a;",
                        "; call(2); call(3); call(0); call(1); return a;"),
                Arguments.of(Change.empty(), "if (a) { call(1); } return b;", "if (a) { } return b;"),
                Arguments.of(Change.condition(true), "while (a) { call(1); } return b;",
                        "while (Boolean.TRUE) { call(1); } return b;"),
                Arguments.of(Change.condition(false), "return a ? b : c;", "return Boolean.FALSE ? b : c;"),
                Arguments.of(Change.condition("$ || c"), "if (a) { call(1); } return b;",
                        "if (a || c) { call(1); } return b;"),
                Arguments.of(Change.withoutOperand(0), "return a && b && c;", "return b && c;"),
                Arguments.of(Change.withoutOperand(1), "return a || (b && c) || c;", "return a || c;"),
                Arguments.of(Change.withoutOperand(2), "if (a && b && !c) { call(); } return a;",
                        "if (a && b) { call(); } return a;"),
                Arguments.of(Change.overwrite(), "return n.compareAndSet(1, 2);",
                        "return (java.util.Objects.isNull(n.getAndSet(2)) || true);"),
                Arguments.of(Change.overwrite(), "i = n.compareAndExchange(1, 2); return a;",
                        "i = (java.util.Objects.isNull(n.getAndSet(2)) ? 1 : 1); return a;"),
                Arguments.of(Change.withoutOperand(0).and(Change.overwrite()),
                        "return a && n.compareAndSet(1, 2);",
                        "return (java.util.Objects.isNull(n.getAndSet(2)) || true);"),
                Arguments.of(Change.value("c"), "var d = a; return d;", "var d = c; return d;"),
                Arguments.of(Change.value("!$"), "a = b; return c;", "a = !b; return c;"),
                Arguments.of(Change.lastArgument("3"), "call(1, 2); return a;", "call(1, 3); return a;"),
                Arguments.of(Change.lastArgument("\"\""), "var d = new String(\"d\"); return a;",
                        "var d = new String(\"\"); return a;"),
                Arguments.of(Change.part("b", "c"), "return a || b;", "return a || c;"),
                Arguments.of(Change.preceded("call(0);"), "call(1); return a;",
                        "call(0); call(1); return a;"),
                Arguments.of(Change.replaced("$ $"), "call(1); return a;", "call(1); call(1); return a;"));
    }

    @ParameterizedTest(name = "{2}")
    @MethodSource("changes")
    void aChange(Change change, String before, String after, @TempDir Path folder) throws Exception {
        var mutant = new Mutant("some-id", "any", change);
        var marked = "// mutant: some-id\n";
        var place = Markers.in(method(marked + before)).placesOf(List.of(mutant)).get(mutant);

        var changed = mutant.source(place);

        assertThat(changed).isEqualTo(method(marked + after));
        new MutantCompiler(folder, folder.toString()).compile(Map.of(mutant, changed));
        assertThat(folder.resolve("some-id").resolve("A.class")).exists();
    }

    static List<Arguments> mistakes() {
        return List.of(
                Arguments.of("// mutant: other\ncall(); return a;", Change.drop(), "'some-id' has no place"),
                Arguments.of("// mutant: some-id, other\ncall(); return a;", Change.drop(),
                        "'other' in A.java has no mutant"),
                Arguments.of("// mutant: some-id\ncall();\n// mutant: some-id\ncall(); return a;",
                        Change.drop(),
                        "or twice in one"),
                Arguments.of("call(); // mutant: some-id\n return a;", Change.drop(), "is no marker"),
                Arguments.of("// Mutant some-id\ncall(); return a;", Change.drop(), "is no marker"),
                Arguments.of("call(); return a;\n// mutant: some-id", Change.drop(), "no statement follows"),
                Arguments.of("// mutant: some-id\nreturn a;", Change.value("a"), "it changes nothing"),
                Arguments.of("// mutant: some-id\nreturn a;", Change.value("1"), "does not compile"),
                Arguments.of("// mutant: some-id\nreturn a;", Change.drop(2), "there are no 2 statements"),
                Arguments.of("// mutant: some-id\nreturn a;", Change.condition(true), "it has no condition"),
                Arguments.of("// mutant: some-id\nreturn a;", Change.empty(), "neither an if"),
                Arguments.of("// mutant: some-id\nreturn a && b;", Change.withoutOperand(2), "no operand 2"),
                Arguments.of("// mutant: some-id\nreturn a && a;", Change.part("a", "b"),
                        "'a' is there 2 times"),
                Arguments.of("// mutant: some-id\nreturn a;", Change.overwrite(), "0 calls of compareAndSet"),
                Arguments.of("// mutant: some-id\nreturn a && b;",
                        Change.value("b").and(Change.part("a", "b")),
                        "two changes of the same characters"));
    }

    @ParameterizedTest(name = "{2}")
    @MethodSource("mistakes")
    void aMistakeIsTold(String body, Change change, String told, @TempDir Path folder) {
        var mutant = new Mutant("some-id", "any", change);

        assertThatThrownBy(() -> new MutantCompiler(folder, folder.toString()).compile(Map.of(mutant,
                mutant.source(Markers.in(method(body)).placesOf(List.of(mutant)).get(mutant)))))
                .isInstanceOf(AssertionError.class).hasMessageContaining(told);
    }

    @Test
    void twoMutantsHaveNotOneId() {
        var mutant = new Mutant("some-id", "any", Change.drop());
        var other = new Mutant("some-id", "any", Change.drop(2));

        assertThatThrownBy(() -> Markers.in(method("// mutant: some-id\ncall(); call(); return a;"))
                .placesOf(List.of(mutant, other))).hasMessageContaining("two mutants are called 'some-id'");
    }
}
