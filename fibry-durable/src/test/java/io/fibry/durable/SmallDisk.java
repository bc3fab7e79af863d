package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A disk that is soon full: a file system in memory, which only the administrator of a machine can mount. */
final class SmallDisk implements AutoCloseable {
    private final Path folder;
    private final Path filler;

    private SmallDisk(Path folder) {
        this.folder = folder;
        filler = folder.resolve("filler");
    }

    static SmallDisk mount(Path folder) throws IOException {
        run("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", folder.toString());
        return new SmallDisk(folder);
    }

    private static void run(String... command) throws IOException {
        assertThat(new ProcessBuilder(command).inheritIO().start().onExit().join().exitValue())
                .as("%s, as root on Linux", String.join(" ", command)).isZero();
    }

    /** Leaves no room. */
    void fill() throws IOException {
        try (var out = Files.newOutputStream(filler)) {
            for (var bytes = new byte[1 << 12];;) {
                out.write(bytes);
            }
        } catch (IOException full) {
            assertThat(full).hasMessageContaining("No space left");
        }
    }

    /** Makes room again. */
    void empty() throws IOException {
        Files.delete(filler);
    }

    @Override
    public void close() throws IOException {
        run("umount", folder.toString());
    }
}
