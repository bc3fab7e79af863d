package io.fibry.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The classes of which the files lie in a folder. They are loaded, not initialized. */
public final class ClassFiles {
    private ClassFiles() {
    }

    /** The classes of one package. */
    public static List<Class<?>> in(Path root, String packageName) throws IOException {
        try (var files = Files.list(root.resolve(packageName.replace('.', '/')))) {
            return load(root, files);
        }
    }

    /**
     * The classes in whose files the name of an annotation occurs. A class that does not name it is not loaded: what it
     * extends may be missing on this Java.
     */
    public static List<Class<?>> naming(Path root, Class<?> annotation) throws IOException {
        try (var files = Files.walk(root)) {
            return load(root, files.filter(file -> names(file, annotation.descriptorString())));
        }
    }

    private static boolean names(Path file, String descriptor) {
        try {
            return file.toString().endsWith(".class")
                    && Files.readString(file, StandardCharsets.ISO_8859_1).contains(descriptor);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static List<Class<?>> load(Path root, Stream<Path> files) {
        var classes = new ArrayList<Class<?>>();
        files.map(file -> root.relativize(file).toString().replace('\\', '/'))
                .filter(path -> path.endsWith(".class") && !path.endsWith("-info.class"))
                .map(path -> path.substring(0, path.length() - ".class".length()).replace('/', '.'))
                .sorted().forEach(name -> classes.add(load(name)));
        return classes;
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, ClassFiles.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }
}
