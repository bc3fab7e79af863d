package io.fibry.testing;

import io.fibry.ActorSystem;
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
 * Loads all classes of the library if they lie in a folder, as they do during development. A process that has opened
 * all files that it may open cannot load classes from a folder, and the JVM does not look again for a class that it
 * has failed to find once. This is the time when servers need the classes that handle errors. A jar needs none of
 * this, since it is open as long as the JVM runs.
 */
public final class Classes {
    private static final Logger LOG = Logs.of("io.fibry.net");
    private static final String SUFFIX = ".class";

    static {
        loadBeside(ActorSystem.class);
    }

    private Classes() {
    }

    /** Loads all classes. The first call does it. */
    public static void load() {
        // the initializer of this class has done it
    }

    /** Loads all classes that lie in the same folder as one. */
    public static void loadBeside(Class<?> one) {
        var source = one.getProtectionDomain().getCodeSource();
        loadFrom(source == null ? null : source.getLocation());
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
            Class.forName(name, false, ActorSystem.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError absent) {
            LOG.debug("{} cannot be loaded: {}", name, absent.toString()); // the class needs a module that is not there
        }
    }
}
