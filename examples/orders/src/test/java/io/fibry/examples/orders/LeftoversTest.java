package io.fibry.examples.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What is left of the PostgreSQL that the program starts, when Ctrl-C ends the program: nothing. */
@Timeout(180)
@EnabledOnOs(OS.LINUX)
class LeftoversTest {
    private static final Pattern FOLDER = Pattern.compile("in (\\S+);");

    @TempDir
    private Path folder;

    private Process start(String... args) throws IOException {
        var command = Stream.concat(Stream.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx200m",
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + folder, "-cp",
                System.getProperty("java.class.path"), Orders.class.getName(), "--port", "0"),
                Stream.of(args)).toList();
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private static String until(BufferedReader says, String beginning) throws IOException {
        var before = new StringBuilder();
        for (var line = says.readLine(); line != null; line = says.readLine()) {
            assumeTrue(!line.startsWith("there is no database"), line);
            if (line.startsWith(beginning)) {
                return line;
            }
            before.append(line).append('\n');
        }
        throw new AssertionError("it did not say '" + beginning + "', but: " + before);
    }

    /** Does what Ctrl-C does, and leaves the output of the process open. */
    private static void end(Process process, BufferedReader says) throws InterruptedException {
        process.toHandle().destroy();
        says.lines().forEach(line -> {
        });
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }

    private static List<String> sharedMemoryOf(long pid) throws IOException {
        try (var lines = Files.lines(Path.of("/proc/sysvipc/shm"))) {
            return lines.filter(line -> line.strip().split(" +")[4].equals(String.valueOf(pid))).toList();
        }
    }

    @Test
    void nothingIsLeftAfterCtrlC() throws Exception {
        var process = start("--seconds", "600");
        try (var says = process.inputReader()) {
            var found = FOLDER.matcher(until(says, "starting a PostgreSQL for this example alone, in "));
            assertThat(found.find()).isTrue();
            until(says, "0 ");
            var files = Path.of(found.group(1));
            long pid = Long.parseLong(
                    Files.readAllLines(files.resolve("data").resolve("postmaster.pid")).getFirst());
            assertThat(ProcessHandle.of(pid)).isPresent();
            assertThat(sharedMemoryOf(pid)).isNotEmpty();

            end(process, says);

            assertThat(ProcessHandle.of(pid)).isEmpty();
            assertThat(sharedMemoryOf(pid)).isEmpty();
            assertThat(folder).isEmptyDirectory();
        } finally {
            process.destroyForcibly();
        }
    }

    @Tag("thorough")
    @Test
    void nothingIsLeftIfCtrlCComesWhileItStarts() throws Exception {
        var process = start();
        try (var says = process.inputReader()) {
            until(says, "starting a PostgreSQL");

            end(process, says);

            assertThat(folder).isEmptyDirectory();
            assertThat(ProcessHandle.allProcesses()
                    .filter(each -> each.info().commandLine().orElse("").contains(folder.toString())))
                    .isEmpty();
        } finally {
            process.destroyForcibly();
        }
    }
}
