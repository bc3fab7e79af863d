package io.fibry.dump;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.Watchdog;
import io.fibry.internal.dump.DumpFiles;
import io.fibry.internal.scope.Scope;
import io.fibry.testing.LogsErrors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A watchdog that reports something writes a dump. */
class WatchdogDumpTest {
    private static final Watchdog STUCK = Watchdog.none().stuckAfter(Duration.ofSeconds(4));

    private final ManualTime time = new ManualTime(Instant.EPOCH, Duration.ZERO);
    private final CountDownLatch goesOn = new CountDownLatch(1);
    @TempDir
    Path directory;

    private void advance(int seconds) {
        for (int i = 0; i < seconds; i++) {
            Waits.until("the watchdog has looked", () -> time.pending() == 1);
            time.advance(Duration.ofSeconds(1));
        }
        Waits.until("the watchdog has looked", () -> time.pending() == 1);
    }

    private ActorScope scope(Watchdog watchdog) throws InterruptedException {
        var scope = ActorSystem.configure("a/b c").time(time).watchdog(watchdog).open();
        startStuck(scope, "one");
        startStuck(scope, "two");
        return scope;
    }

    private void startStuck(ActorScope scope, String name) throws InterruptedException {
        var begun = new CountDownLatch(1);
        scope.named(name).newActor((Integer message) -> {
            begun.countDown();
            goesOn.await();
        }).sendMessage(1);
        Waits.on(begun);
    }

    private List<Path> files(Path in) throws IOException {
        try (var files = Files.list(in)) {
            return files.toList();
        }
    }

    @FunctionalInterface
    private interface Steps {
        void run(ActorScope scope) throws Exception;
    }

    /** Closes the scope only when its handlers can end, also if a check has failed: its clock stands. */
    private void in(ActorScope scope, Steps steps) throws Exception {
        try (scope) {
            try {
                steps.run(scope);
            } finally {
                goesOn.countDown();
            }
        }
    }

    @Promise("50.10")
    @Test
    void aDumpIsWrittenOnceAMinute() throws Exception {
        var dumps = directory.resolve("made").resolve("for it");
        in(scope(STUCK.dumpsTo(dumps)), scope -> {
            advance(3);
            assertThat(dumps).doesNotExist();
            advance(10);
            assertThat(files(dumps)).singleElement().satisfies(file -> {
                assertThat(file.getFileName().toString()).matches("fibry-a_b_c-\\d{8}-\\d{6}-\\d{6}\\.txt");
                assertThat(file).content().contains("Scope 'a/b c' (open)").contains("'one' (")
                        .contains("works on a java.lang.Integer");
            });
            startStuck(scope, "three");
            advance(10);
            assertThat(files(dumps)).hasSize(1);
            time.advance(Duration.ofMinutes(1));
            startStuck(scope, "four");
            advance(10);
            assertThat(files(dumps)).hasSize(2);
        });
    }

    @Promise("50.10")
    @Test
    void thereAreAHundredDumpsAtMost() throws IOException {
        try (var scope = ActorSystem.configure("many").time(time).open()) {
            var dumps = new DumpFiles((Scope) scope, directory);
            for (int i = 0; i < 120; i++) {
                dumps.run();
                time.advance(Duration.ofMinutes(1));
            }
        }
        assertThat(files(directory)).hasSize(100);
    }

    @Promise("50.10")
    @LogsErrors
    @Test
    void aDirectoryThatCannotBeWrittenHurtsNothing() throws Exception {
        var file = Files.writeString(directory.resolve("file"), "no directory");
        in(scope(STUCK.dumpsTo(file)), scope -> {
            advance(6);
            assertThat(file).hasContent("no directory");
            assertThat(scope.dump().scope().busy()).isEqualTo(2);
        });
    }
}
