package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.testing.Promise;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One file is one store of one process, whatever its name is. */
class StoreLockTest {
    @TempDir
    private Path temporary;
    private Path folder;

    @BeforeEach
    void makeFolder() throws IOException {
        folder = Files.createDirectory(temporary.resolve("data"));
    }

    /** Another process. */
    static final class Other {
        private Other() {
        }

        public static void main(String[] arguments) throws IOException {
            try (var lock = StoreLock.of(Path.of(arguments[0]))) {
                System.out.print("let in " + (lock != null));
            } catch (IllegalStateException e) {
                System.out.print(e.getMessage());
            }
        }
    }

    /** Returns what another process is told that wants a file. */
    private static String other(Path file) throws Exception {
        var process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp",
                System.getProperty("java.class.path"), Other.class.getName(), file.toString())
                .redirectErrorStream(true).start();
        try (var output = process.getInputStream()) {
            var text = new String(output.readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor();
            return text;
        }
    }

    private static void refused(Path name) {
        assertThatThrownBy(() -> DurableStore.open("file:" + name)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is in use by process " + ProcessHandle.current().pid());
    }

    @Test
    @Promise("63.7")
    void anotherProcessIsRefusedAlsoAfterASecondStoreOfThisOneWasRefused() throws Exception {
        var file = folder.resolve("bank.db");
        try (var store = DurableStore.open("file:" + file)) {
            assertThat(store).isNotNull();
            refused(file);
            refused(file);
            assertThat(other(file)).contains("in use by process " + ProcessHandle.current().pid());
            refused(file);
        }
        assertThat(other(file)).isEqualTo("let in true");
        DurableStore.open("file:" + file).close();
    }

    @Test
    @Promise("63.7")
    void aSecondStoreOfAThreadThatIsInterruptedTakesNothingFromTheFirst() throws Exception {
        var file = folder.resolve("bank.db");
        try (var store = DurableStore.open("file:" + file)) {
            Thread.currentThread().interrupt();
            try {
                assertThatThrownBy(() -> DurableStore.open("file:" + file))
                        .isInstanceOf(IllegalStateException.class);
            } finally {
                assertThat(Thread.interrupted()).isTrue();
            }
            assertThat(other(file)).contains("in use by process " + ProcessHandle.current().pid());
            assertThat(store.revision(new Journal.Id("accounts", "a"))).isZero();
        }
    }

    @Test
    @Promise("63.7")
    void aFileIsOneStoreByWhateverSymbolicLinksItIsNamed() throws Exception {
        var file = folder.resolve("bank.db");
        var link = Files.createSymbolicLink(temporary.resolve("link.db"), Path.of("data", "bank.db"));
        var linkOfLink = Files.createSymbolicLink(temporary.resolve("second.db"), link);
        var linkOfFolder =
                Files.createSymbolicLink(temporary.resolve("other"), folder).resolve("bank.db");
        try (var store = DurableStore.open("file:" + linkOfLink)) { // nothing is there yet
            assertThat(store).isNotNull();
            for (var name : new Path[]{file, link, linkOfLink, linkOfFolder,
                folder.resolve("../data/./bank.db")}) {
                refused(name);
            }
            assertThat(other(file)).contains("in use by");
        }
        try (var store = DurableStore.open("file:" + file)) {
            assertThat(store).isNotNull();
            refused(linkOfLink);
            refused(linkOfFolder);
        }
        assertThat(temporary.resolve("link.db.lock")).doesNotExist();
        Files.createSymbolicLink(temporary.resolve("circle.db"), Path.of("circle.db"));
        assertThatThrownBy(() -> DurableStore.open("file:" + temporary.resolve("circle.db")))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("circle.db cannot be opened");
    }

    /** SQLite would keep a write-ahead log for each of the names. */
    @Test
    @Promise("63.7")
    void aFileWithSeveralNamesIsRefused() throws Exception {
        var file = folder.resolve("bank.db");
        try (var store = DurableStore.open("file:" + file)) {
            assertThat(store).isNotNull();
            var name = Files.createLink(temporary.resolve("name.db"), file);
            assertThatThrownBy(() -> DurableStore.open("file:" + name))
                    .isInstanceOf(IllegalStateException.class).hasMessageContaining("2 names")
                    .hasMessageContaining("name.db");
            Files.delete(name);
        }
        DurableStore.open("file:" + file).close();
    }
}
