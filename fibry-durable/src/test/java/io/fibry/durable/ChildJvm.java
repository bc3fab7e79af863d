package io.fibry.durable;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import org.sqlite.util.LibraryLoaderUtil;

/**
 * Starts JVMs, for tests that kill many of them. They start quickly: their classes come from an archive of the JVM, which demands
 * jars and no folders, and the native code of SQLite is already a file. Otherwise each JVM would unpack this file, and leave it
 * behind.
 */
final class ChildJvm {
    private final Class<?> main;
    private final Path errors;
    private final List<String> command = new ArrayList<>();

    private ChildJvm(Class<?> main, Path errors) {
        this.main = main;
        this.errors = errors;
    }

    /**
     * Prepares JVMs that run a class.
     *
     * @param folder a folder for their files
     * @param jars the beginnings of the names of the jars that they have of the class path
     * @param warmUp arguments with which the class does its usual work and then ends by itself
     */
    static ChildJvm of(Path folder, Class<?> main, List<String> jars, String... warmUp) throws Exception {
        var jvm = new ChildJvm(main, folder.resolve("errors.log"));
        var path = classPath(folder, jars);
        Files.createDirectories(folder.resolve("lib"));
        var library = LibraryLoaderUtil.getNativeLibName();
        try (var code = ChildJvm.class
                .getResourceAsStream(LibraryLoaderUtil.getNativeLibResourcePath() + "/" + library)) {
            if (code == null) {
                throw new IllegalStateException("sqlite-jdbc has no " + library);
            }
            Files.copy(code, folder.resolve("lib").resolve(library));
        }
        jvm.command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData",
                "-Xlog:disable",
                "--enable-native-access=ALL-UNNAMED", "-Dorg.sqlite.lib.path=" + folder.resolve("lib"),
                "-Dorg.sqlite.lib.name=" + library, "-Dslf4j.internal.verbosity=ERROR", "-cp", path));
        var archive = folder.resolve("classes.jsa");
        jvm.command.add("-XX:ArchiveClassesAtExit=" + archive);
        var ended = jvm.start(warmUp);
        ended.getInputStream().transferTo(OutputStream.nullOutputStream());
        if (ended.waitFor() != 0) {
            throw new IllegalStateException(
                    main.getName() + " ended with " + ended.exitValue() + ": " + jvm.errors());
        }
        jvm.command.removeLast();
        // A JVM that can make no archive starts without one.
        if (Files.exists(archive)) {
            jvm.command.add("-XX:SharedArchiveFile=" + archive);
        }
        return jvm;
    }

    private static String classPath(Path folder, List<String> jars) throws IOException {
        var path = new ArrayList<String>();
        for (var entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            var file = Path.of(entry);
            if (Files.isDirectory(file)) {
                path.add(jar(file, folder.resolve(path.size() + ".jar")).toString());
            } else if (jars.stream().anyMatch(name -> file.getFileName().toString().startsWith(name))) {
                path.add(entry);
            }
        }
        return path.stream().collect(Collectors.joining(File.pathSeparator));
    }

    private static Path jar(Path classes, Path jar) throws IOException {
        try (var out = new JarOutputStream(Files.newOutputStream(jar)); var files = Files.walk(classes)) {
            out.setLevel(0);
            files.filter(Files::isRegularFile).sorted().forEach(file -> {
                try {
                    out.putNextEntry(new JarEntry(classes.relativize(file).toString().replace('\\', '/')));
                    Files.copy(file, out);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
        return jar;
    }

    Process start(String... arguments) throws IOException {
        return startBy(List.of(), arguments);
    }

    /** Starts a JVM by another program, whose command line ends with that of the JVM. */
    Process startBy(List<String> program, String... arguments) throws IOException {
        var all = new ArrayList<>(program);
        all.addAll(command);
        all.add(main.getName());
        all.addAll(Arrays.asList(arguments));
        return new ProcessBuilder(all).redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                .start();
    }

    /** Returns the end of what the processes have written to their error streams. */
    String errors() throws IOException {
        var text = Files.readString(errors);
        return text.substring(Math.max(0, text.length() - 5_000));
    }
}
