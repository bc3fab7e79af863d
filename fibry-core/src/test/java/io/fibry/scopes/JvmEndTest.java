package io.fibry.scopes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The end of a JVM, seen from outside. */
@Tag("once")
class JvmEndTest {
    private static final int SIGTERM_STATUS = 128 + 15;

    private static Process start(String how) throws IOException {
        return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                System.getProperty("java.class.path"), ShutdownChild.class.getName(), how)
                .redirectError(ProcessBuilder.Redirect.DISCARD).start();
    }

    private static List<String> end(Process child, BufferedReader out) throws Exception {
        try {
            var lines = out.lines().filter(line -> line.startsWith("> ")).toList();
            assertThat(child.waitFor(Patience.MILLIS, TimeUnit.MILLISECONDS)).as("whether it ended").isTrue();
            return lines;
        } finally {
            child.destroyForcibly();
        }
    }

    private static void awaitLine(BufferedReader out, String wanted) throws IOException {
        for (var line = out.readLine(); !wanted.equals(line); line = out.readLine()) {
            assertThat(line).as("what comes before '" + wanted + "'").isNotNull();
        }
    }

    @Test
    @Promise("25.6")
    void askedToEndTwiceItHandlesWhatIsQueuedAndEnds() throws Exception {
        var child = start("queued");
        var out = child.inputReader();
        awaitLine(out, "ready");
        child.toHandle().destroy();
        child.toHandle().destroy();
        assertThat(end(child, out)).containsExactly("> handled 100", "> resource closed");
        assertThat(child.exitValue()).isEqualTo(SIGTERM_STATUS);
    }

    @Test
    @Promise("25.6")
    void aHandlerThatNeverEndsHoldsUpTheJvmUntilTheCloseTimeout() throws Exception {
        var child = start("stuck");
        var out = child.inputReader();
        awaitLine(out, "ready");
        child.toHandle().destroy();
        assertThat(end(child, out)).containsExactly("> resource closed");
        assertThat(child.exitValue()).isEqualTo(SIGTERM_STATUS);
    }

    @Test
    @Promise("25.6")
    void theJvmEndsByItselfWhenTheScopeIsClosed() throws Exception {
        var child = start("closes");
        assertThat(end(child, child.inputReader())).containsExactly("> main ends", "> alive without main",
                "> resource closed");
        assertThat(child.exitValue()).isZero();
    }

    @Test
    @Promise("25.6")
    void exitFromAHandlerClosesTheScopeAsWell() throws Exception {
        var child = start("exit");
        assertThat(end(child, child.inputReader())).contains("> resource closed");
        assertThat(child.exitValue()).isEqualTo(3);
    }
}
