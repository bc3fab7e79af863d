package io.fibry.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every code block of README and of the guide: Java is compiled and run, and prints what it says; commands name what there
 * is; the rest is compared with the files that it is from.
 */
@Timeout(120)
class FirstPagesTest {
    private static final Path ROOT = Path.of("..");
    private static final List<String> DOCS = List.of("README.md", "docs/guide.md");
    private static final Pattern BLOCK =
            Pattern.compile("^```(\\w*)\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
    /** Types declared at the left margin; the rest of a block are statements. */
    private static final Pattern TYPE =
            Pattern.compile("^(sealed |record |interface |enum |class )(?:[^\\n]*\\{}\\n|.*?^}\\n)",
                    Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern IMPORT = Pattern.compile("^import .*;\\n", Pattern.MULTILINE);
    private static final Pattern PRINTS = Pattern.compile("// prints (.*)$", Pattern.MULTILINE);
    private static final Pattern LINK = Pattern.compile("]\\(([^)#]+)[^)]*\\)");
    private static final String HARNESS = """
            import io.fibry.*;
            import io.fibry.event.*;
            import io.fibry.function.*;
            import io.fibry.message.*;
            import io.fibry.time.*;
            import java.io.*;
            import java.net.*;
            import java.net.http.*;
            import java.net.http.HttpResponse.BodyHandlers;
            import java.time.*;
            import java.util.*;
            import java.util.concurrent.*;
            import java.util.concurrent.atomic.*;
            import java.util.function.*;
            %s
            class %s {
            %s
            public static void main(String[] args) throws Exception {
            %s
            }
            }
            """;

    @TempDir
    private static Path classes;
    private static final List<Block> BLOCKS = new ArrayList<>();

    private record Block(String name, String language, String text) {
        /** As a program. A port of the reader's choice is any free one here. */
        String program() {
            var imports = new StringBuilder();
            var code = IMPORT.matcher(text.replace("(8080,", "(0,")).replaceAll(found -> {
                imports.append(found.group());
                return "";
            });
            var types = new StringBuilder();
            var statements = TYPE.matcher(code).replaceAll(found -> {
                types.append("static ").append(found.group());
                return "";
            });
            return HARNESS.formatted(imports, name, types, statements);
        }

        List<String> prints() {
            return PRINTS.matcher(text).results().map(found -> found.group(1).strip()).toList();
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(Block block) {
            super(URI.create("string:///" + block.name() + ".java"), JavaFileObject.Kind.SOURCE);
            text = block.program();
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static List<Block> in(String document) throws IOException {
        var blocks = new ArrayList<Block>();
        var found = BLOCK.matcher(Files.readString(ROOT.resolve(document)));
        while (found.find()) {
            var name = document.replaceAll("docs/|\\.md", "") + "_" + (blocks.size() + 1);
            blocks.add(new Block(name, found.group(1), found.group(2)));
        }
        return blocks;
    }

    @BeforeAll
    static void compileAll() throws IOException {
        for (var document : DOCS) {
            BLOCKS.addAll(in(document));
        }
        var compiler = ToolProvider.getSystemJavaCompiler();
        assumeTrue(compiler != null, "this Java has no compiler, so the code of the documents is not tested");
        var messages = new StringWriter();
        var done = compiler.getTask(messages, null, null,
                List.of("-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path")),
                null,
                of("java").map(Source::new).toList()).call();
        assertThat(done).as(messages.toString()).isTrue();
    }

    private static Stream<Block> of(String language) {
        return BLOCKS.stream().filter(block -> block.language().equals(language));
    }

    @TestFactory
    Stream<DynamicTest> aBlockRunsAndPrintsWhatItSays() {
        return of("java").map(block -> dynamicTest(block.name(), () -> {
            try (var loader = new URLClassLoader(new URL[]{classes.toUri().toURL()})) {
                var main = loader.loadClass(block.name()).getDeclaredMethod("main", String[].class);
                main.setAccessible(true);
                assertThat(Printed.by(args -> run(main, args))).isEqualTo(block.prints());
            }
        }));
    }

    private static void run(Method main, String[] args) throws Exception {
        try {
            main.invoke(null, (Object) args);
        } catch (InvocationTargetException e) {
            throw new AssertionError("the block failed", e.getCause());
        }
    }

    @Test
    void thereAreNoOtherKindsOfBlocks() {
        assertThat(BLOCKS).extracting(Block::language).containsOnly("java", "sh", "xml", "kotlin");
        assertThat(of("java")).hasSizeGreaterThan(18);
    }

    /** Modules, examples and goals; what an option does is tested elsewhere. */
    @Test
    void commandsNameWhatThereIs() throws Exception {
        var modules = Files.readString(ROOT.resolve("pom.xml"));
        var list = String.join("\n", Printed.by(Examples::main, "--list"));
        var prose = new StringBuilder();
        for (var document : DOCS) {
            prose.append(Files.readString(ROOT.resolve(document)));
        }
        assertThat(of("sh").flatMap(block -> block.text().lines()))
                .allSatisfy(line -> assertThat(line).startsWith("mvn "))
                .hasSizeGreaterThanOrEqualTo(4);
        assertThat(words(prose, "-pl ([\\w/-]+)"))
                .allSatisfy(module -> assertThat(modules).contains("<module>" + module + "</module>"));
        assertThat(words(prose, "-Dexample=([\\w-]+)").filter(name -> !name.equals("list")))
                .allSatisfy(name -> assertThat(list).contains("\n  " + name + " "));
        assertThat(words(prose, "(?m)^mvn .*?(verify|exec:exec)"))
                .hasSize((int) of("sh").flatMap(block -> block.text().lines()).count());
        var experiments = new StringBuilder();
        try (var sources = Files.walk(ROOT.resolve("fibry-bench/src/main/java"))) {
            for (var source : sources.filter(Files::isRegularFile).toList()) {
                experiments.append(Files.readString(source));
            }
        }
        assertThat(words(prose, "-Dexperiment=\"([\\w -]+)\"").flatMap(names -> Stream.of(names.split(" "))))
                .isNotEmpty().allSatisfy(name -> assertThat(experiments).contains('"' + name + '"'));
    }

    private static Stream<String> words(CharSequence text, String pattern) {
        return Pattern.compile(pattern).matcher(text).results().map(found -> found.group(1));
    }

    /** And a provider of slf4j, of the version that the library is built with. */
    @Test
    void theDependencyIsTheLibrarys() throws IOException {
        var pom = Files.readString(ROOT.resolve("fibry-core/pom.xml"));
        var slf4j = words(Files.readString(ROOT.resolve("build/pins/pom.xml")),
                "<slf4j.version>(.*)</slf4j.version>")
                .findFirst().orElseThrow();
        var provider = List.of("<groupId>org.slf4j</groupId>", "<artifactId>slf4j-simple</artifactId>",
                "<version>" + slf4j + "</version>");

        assertThat(of("xml")).hasSize(1).allSatisfy(block -> {
            var lines = block.text().lines().map(String::strip)
                    .filter(line -> line.matches("<(artifactId|version|groupId)>.*")).toList();
            assertThat(lines).hasSize(6);
            assertThat(lines.subList(0, 3)).allSatisfy(line -> assertThat(pom).contains(line));
            assertThat(lines.subList(3, 6)).isEqualTo(provider);
        });
    }

    @Test
    void kotlinIsThatOfTheExample() throws IOException {
        var example =
                Files.readString(ROOT.resolve("examples/kotlin/src/main/kotlin/io/fibry/examples/Kotlin.kt"));

        assertThat(of("kotlin")).isNotEmpty().allSatisfy(block -> assertThat(example).contains(block.text()));
    }

    @Test
    void linksLeadSomewhereAndReadmeIsShort() throws IOException {
        for (var document : DOCS) {
            var path = ROOT.resolve(document);
            var folder = path.toAbsolutePath().normalize().getParent();
            assertThat(LINK.matcher(Files.readString(path)).results().map(found -> found.group(1))
                    .filter(link -> !link.startsWith("http"))).isNotEmpty()
                    .allSatisfy(link -> assertThat(folder.resolve(link)).exists());
        }
        assertThat(Files.readAllLines(ROOT.resolve("README.md"))).hasSizeLessThanOrEqualTo(150);
    }
}
