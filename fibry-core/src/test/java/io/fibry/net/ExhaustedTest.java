package io.fibry.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.BugClass;
import io.fibry.testing.Child;
import io.fibry.testing.Promise;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** A process that may open no more files can load no classes from folders either. */
class ExhaustedTest {
    private static final int FILES = 120;

    @Test
    @BugClass(34)
    @Promise("15.2")
    void serversOutliveThatNoFileCanBeOpened() throws Exception {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "there is no shell that sets limits");
        var output = Child.withFewFiles(FILES, ExhaustedChild.class);
        assertThat(output).doesNotContain("NoClassDefFoundError", "ClassNotFoundException")
                .contains("cannot accept a connection", "Too many open files", "as it must",
                        "its totalTimeout");
        assertThat(output.lines().filter(line -> line.matches("[a-z ]+(: .{1,5})?")))
                .containsExactly("no more files", "failed: -1", "late: -1", "stopped: true", "cut: -1",
                        "served: x", "served: x", "served: x", "closed: true");
    }
}
