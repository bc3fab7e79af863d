package io.fibry.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every Java block of README compiles as printed, and runs. */
class ReadmeTest {
    private static final Pattern BLOCK = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    /** Types declared at the left margin; the rest of a block are statements. */
    private static final Pattern TYPE = Pattern.compile("^(sealed |record |interface |enum ).*?^}\\n",
            Pattern.DOTALL | Pattern.MULTILINE);

    @TempDir
    private Path folder;

    static Stream<String> blocks() throws IOException {
        var readme = Files.readString(Path.of("..", "README.md"));
        var blocks = BLOCK.matcher(readme).results().map(found -> found.group(1)).toList();
        assertThat(blocks).hasSizeGreaterThanOrEqualTo(4);
        return blocks.stream();
    }

    @ParameterizedTest
    @MethodSource("blocks")
    void aBlockCompilesAndRuns(String block) throws Exception {
        var compiler = ToolProvider.getSystemJavaCompiler();
        assumeTrue(compiler != null, "this Java has no compiler");

        compile(compiler, program(block));

        var process =
                new ProcessBuilder(java(), "-cp", classPath(), "Snippet").redirectErrorStream(true).start();
        var output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        assertThat(output).doesNotContain("Exception");
    }

    private static String program(String block) {
        var types = new StringBuilder();
        var statements = TYPE.matcher(block).replaceAll(found -> {
            types.append("static ").append(found.group());
            return "";
        });
        return """
                import io.fibry.*;
                import java.time.*;
                import java.util.*;

                class Snippet {
                %s
                public static void main(String[] args) throws Exception {
                %s
                }
                }
                """.formatted(types, statements);
    }

    private void compile(JavaCompiler compiler, String program) throws IOException {
        var source = Files.writeString(folder.resolve("Snippet.java"), program);
        var messages = new StringWriter();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            var done = compiler
                    .getTask(messages, files, null, List.of("-cp", classPath(), "-d", folder.toString()),
                            null, files.getJavaFileObjects(source))
                    .call();
            assertThat(done).as(messages + program).isTrue();
        }
    }

    private String classPath() {
        return folder + File.pathSeparator + System.getProperty("java.class.path");
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }
}
