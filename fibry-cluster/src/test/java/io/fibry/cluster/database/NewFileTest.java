package io.fibry.cluster.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.trial.NodeProcess;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that open a new file of SQLite at once, again and again. */
class NewFileTest {
    private static final int PROCESSES = 3;
    private static final int SESSIONS = 4;
    private static final int FILES = 100;

    @TempDir
    private Path folder;

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void manyOpenItAtOnce() throws Exception {
        var processes = new ArrayList<NodeProcess>();
        try {
            for (int i = 0; i < PROCESSES; i++) {
                processes.add(
                        new NodeProcess("p" + i, List.of(NewFileTest.class.getName()), Map.of(), folder));
            }
            for (var each : processes) {
                assertThat(each.awaitReady()).isEqualTo("READY");
            }
            for (int i = 0; i < FILES; i++) {
                var file = folder.resolve("new" + i + ".db");
                var answers =
                        processes.stream().map(each -> inBackground(() -> each.ask("" + file))).toList();
                for (var each : answers) {
                    assertThat(each.get())
                            .isEqualTo(String.join(" ", Collections.nCopies(SESSIONS, "joined")));
                }
                try (var session = DatabaseSettings.of("file:" + file).database.connect("c",
                        Duration.ofMinutes(1))) {
                    assertThat(session.nodes().rows()).hasSize(PROCESSES * SESSIONS);
                }
            }
        } finally {
            processes.forEach(NodeProcess::kill);
        }
    }

    /** What a thread does, which may fail. */
    @FunctionalInterface
    private interface Work {
        String run() throws Exception;
    }

    private static CompletableFuture<String> inBackground(Work work) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return work.run();
            } catch (Exception failed) {
                throw new IllegalStateException(failed);
            }
        }, task -> Thread.ofPlatform().start(task));
    }

    private static String join(String file) throws SQLException {
        try (var session = DatabaseSettings.of("file:" + file).database.connect("c", Duration.ofMinutes(1))) {
            session.makeTables();
            session.join(UUID.randomUUID(), 1, "127.0.0.1:1", "here", new byte[0], 1);
            return "joined";
        }
    }

    /** One of the processes: each line names a file. */
    public static void main(String[] args) throws Exception {
        Class.forName("org.sqlite.JDBC"); // loads its library before there is haste
        System.out.println("READY");
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (var line = in.readLine(); line != null; line = in.readLine()) {
            var file = line;
            var sessions = new ArrayList<CompletableFuture<String>>();
            for (int i = 0; i < SESSIONS; i++) {
                sessions.add(inBackground(() -> join(file)));
            }
            var said = new StringJoiner(" ");
            for (var each : sessions) {
                said.add(each.handle((joined, failed) -> failed == null ? joined : "! " + failed).join());
            }
            System.out.println("= " + said);
        }
    }
}
