package io.fibry.internal.net;

import io.fibry.internal.log.Logs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The library's classes where they lie in a folder, as while it is being developed. A process that has used up the
 * files it may open cannot load them from there, and what the JVM has failed to find once it never finds again; but it is
 * then that servers need those for errors. A jar is open as long as the JVM runs.
 */
final class Classes {
    private static final Logger LOG = Logs.of("io.fibry.net");
    private static final String SUFFIX = ".class";

    static {
        var source = Classes.class.getProtectionDomain().getCodeSource();
        loadFrom(source == null ? null : source.getLocation());
    }

    private Classes() {
    }

    /** Makes sure that all classes are there. The first call does it. */
    static void load() {
        // by having loaded this one
    }

    private static void loadFrom(@Nullable URL place) {
        if (place == null || !place.getProtocol().equals("file")) {
            return;
        }
        try {
            var folder = Path.of(place.toURI());
            if (Files.isDirectory(folder)) {
                loadAll(folder);
            }
        } catch (URISyntaxException | IOException | UncheckedIOException e) {
            LOG.debug("the classes in {} are loaded when they are needed: {}", place, e.toString());
        }
    }

    private static void loadAll(Path folder) throws IOException {
        try (var files = Files.walk(folder.resolve("io").resolve("fibry"))) {
            files.map(file -> folder.relativize(file).toString().replace('\\', '/'))
                    .filter(file -> file.endsWith(SUFFIX) && !file.endsWith("-info.class"))
                    .map(file -> file.substring(0, file.length() - SUFFIX.length()).replace('/', '.'))
                    .forEach(Classes::load);
        }
    }

    private static void load(String name) {
        try {
            Class.forName(name, false, Classes.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError absent) {
            LOG.debug("{} cannot be loaded: {}", name, absent.toString()); // it is for a module that is not there
        }
    }
}
