package io.fibry.internal.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Stereotypes;
import io.fibry.net.HttpOptions;
import io.fibry.testing.Child;
import io.fibry.testing.Promise;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
class OpenFilesTest {
    /** A process with few files. */
    private static final class Servers {
        public static void main(String[] args) {
            var left = OpenFiles.left();
            var first = connections();
            var server = Stereotypes.def().embeddedHttpServer(HttpOptions.localPort(0), call -> "hello");
            System.out.println("both fit: " + (first + connections() < left));
            server.close();
            System.out.println("given back: " + (connections() > first * 3 / 4));
        }

        private static int connections() {
            return new HttpService.Limits(Integer.MAX_VALUE, Duration.ZERO, Duration.ZERO).connections();
        }
    }

    @Promise("14.12")
    @Test
    void theServersOfAProcessShareItsFiles() throws Exception {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "there is no shell that sets limits");
        assertThat(Child.withFewFiles(400, Servers.class)).contains("both fit: true", "given back: true");
    }
}
