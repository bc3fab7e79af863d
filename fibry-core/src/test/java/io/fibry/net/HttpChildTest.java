package io.fibry.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.Child;
import io.fibry.testing.Promise;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is settled when the JVM starts: the engine, and its settings. */
@Tag("once")
class HttpChildTest {
    @Test
    @Promise("14.4")
    void whoSendsByteByByteIsCutOffInTheEnd() throws Exception {
        assertThat(Child.run(HttpChild.class, List.of("-Dsun.net.httpserver.maxReqTime=1"), "drip").lines()
                .filter(line -> !line.contains(" DEBUG ")))
                .containsExactly("cut off", "in time: true", "others: read 0", "stopped: true",
                        "cut off", "in time: true", "others: read 0", "stopped: true");
    }

    @Test
    void settingsOfTheUserStay() throws Exception {
        assertThat(
                Child.run(HttpChild.class, List.of("-Dsun.net.httpserver.maxIdleConnections=7"), "settings"))
                .contains("nodelay=true", "maxIdleConnections=7",
                        "maxReqTime=" + (Runtime.version().feature() < 24 ? "60" : "null"),
                        "maxRspTime=null");
    }

    @Test
    void withoutTheJdksModuleThereIsAClearError() throws Exception {
        assertThat(
                Child.run(HttpChild.class, List.of("--limit-modules", "java.se,jdk.unsupported"), "absent"))
                .contains("needs the module jdk.httpserver", "--add-modules jdk.httpserver", "true");
    }

    @Test
    void theJdksEngineServes() throws Exception {
        assertServes(Child.run(HttpChild.class, List.of(), "engine"), "sun.net.httpserver");
    }

    @Test
    void anotherEngineOnTheClassPathTakesItsPlace() throws Exception {
        var jar = Path.of(System.getProperty("io.fibry.other.http", "none"));
        Assumptions.assumeTrue(Files.exists(jar), "there is no other engine at " + jar);
        assertServes(Child.tool("java", List.of("-cp",
                System.getProperty("java.class.path") + File.pathSeparator + jar, HttpChild.class.getName(),
                "engine")), "robaho.net.httpserver");
    }

    private static void assertServes(String output, String engine) {
        assertThat(output).contains("engine: " + engine,
                "seen: [0, 1, 2, 100000, 200, 404, GET, HEAD, OPTIONS, 500, read 3, 413]", "stopped: true",
                "refused");
    }
}
