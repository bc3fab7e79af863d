package io.fibry.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;

/**
 * The Java blocks of documents, all compiled by one call; each is run as well, unless its fence says {@code no-run}: what
 * serves until somebody ends it. One whose fence says {@code on-25} is for Java 25: on an older one it is left out. A block that says what it prints prints that, besides other lines.
 *
 * <p>What a block does not declare is imported from a class of what is given there. One that uses a {@code scope} which
 * it has not opened is given one.
 */
public final class DocBlocks {
    public static final Path FOLDER = Path.of("../docs");
    private static final Pattern BLOCK =
            Pattern.compile("^```java( no-run| on-25)?\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern ANY_JAVA = Pattern.compile("^```java", Pattern.MULTILINE);
    private static final Pattern IMPORT = Pattern.compile("^import .*;\\n", Pattern.MULTILINE);
    /** At the left margin; the rest are statements. */
    private static final Pattern MEMBER =
            Pattern.compile("^(?:public )?static [^\\n]*(?:;|\\{}|\\{.*?\\n}[^\\n]*)\\n",
                    Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern PROGRAM = Pattern.compile("^class (\\w+) \\{\\n.*?^}\\n",
            Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern PRINTS = Pattern.compile("// prints (.*)$", Pattern.MULTILINE);
    private static final String HARNESS = """
            %s
            class %s {
            %s
            static void block() throws Exception {
            %s
            }
            }
            """;

    private final List<Block> blocks = new ArrayList<>();
    private final Path classes;
    private final String imports;

    /**
     * Blocks that see some packages, and the members of a class.
     *
     * @param classes a folder for what is compiled
     * @param given what a reader of the documents takes for granted
     * @param packages the packages whose types the blocks name
     */
    public DocBlocks(Path classes, Class<?> given, String... packages) {
        this.classes = classes;
        var text = new StringBuilder("import static " + given.getCanonicalName() + ".*;\n");
        for (var each : packages) {
            text.append("import ").append(each).append(".*;\n");
        }
        imports = text.toString();
    }

    private record Block(String name, boolean runs, String text) {
        String program(String imports) {
            var head = new StringBuilder(imports);
            var members = new StringBuilder();
            var body = IMPORT.matcher(text.replace("…", "")).replaceAll(found -> moved(found.group(), head));
            body = MEMBER.matcher(body).replaceAll(found -> moved(found.group(), members));
            body = PROGRAM.matcher(body).replaceAll(found -> {
                moved("static " + found.group(), members);
                return found.group(1) + ".run();\n";
            });
            if (body.contains("scope.") && !body.contains("var scope =")) {
                body = "try (var scope = ActorSystem.open(\"given\")) {\n" + body + "}";
            }
            return HARNESS.formatted(head, name, members, body);
        }

        private static String moved(String what, StringBuilder to) {
            to.append(what);
            return "";
        }

        List<String> prints() {
            return PRINTS.matcher(text).results().map(found -> found.group(1).strip()).toList();
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String name, String text) {
            super(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Adds those of a document; fails if there is a fence that it does not understand. */
    public void add(String document) throws IOException {
        var text = Files.readString(FOLDER.resolve(document));
        var found = BLOCK.matcher(text).results().toList();
        assertThat((long) found.size()).as("Java blocks of " + document)
                .isEqualTo(ANY_JAVA.matcher(text).results().count());
        for (var block : found) {
            if (" on-25".equals(block.group(1)) && Runtime.version().feature() < 25) {
                continue;
            }
            var name = document.replace(".md", "") + "_" + (blocks.size() + 1);
            blocks.add(new Block(name, !" no-run".equals(block.group(1)), block.group(2)));
        }
    }

    /** Compiles all; fails with the compiler's words. */
    public void compile() {
        var messages = new StringWriter();
        var sources = blocks.stream().map(block -> new Source(block.name(), block.program(imports))).toList();
        var done = ToolProvider.getSystemJavaCompiler().getTask(messages, null, null,
                List.of("-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path")),
                null, sources).call();
        assertThat(done).as(messages.toString()).isTrue();
    }

    /** A test for each that ends by itself. */
    public Stream<DynamicTest> runs() {
        return blocks.stream().filter(Block::runs).map(block -> dynamicTest(block.name(),
                () -> assertThat(printedBy(block)).containsAll(block.prints())));
    }

    private List<String> printedBy(Block block) throws Exception {
        var printed = new ByteArrayOutputStream();
        var before = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try (var loader = new URLClassLoader(new URL[]{classes.toUri().toURL()})) {
            var method = loader.loadClass(block.name()).getDeclaredMethod("block");
            method.setAccessible(true);
            method.invoke(null);
        } catch (InvocationTargetException e) {
            throw new AssertionError("the block failed", e.getCause());
        } finally {
            System.setOut(before);
        }
        return printed.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
