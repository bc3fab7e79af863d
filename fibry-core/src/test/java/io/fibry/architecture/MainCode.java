package io.fibry.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.fibry.Actor;
import io.fibry.testing.ClassFiles;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The library as it was compiled, and its sources. */
public final class MainCode {
    public static final Path SOURCES = Path.of("src/main/java");

    private MainCode() {
    }

    static Path compiled() {
        return compiled(Actor.class);
    }

    /** The classes of the module that has this one. */
    public static Path compiled(Class<?> one) {
        try {
            return Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    /** Reading them takes seconds, so the tests of a JVM share what was read. */
    private static final class Imported {
        static final JavaClasses CLASSES = new ClassFileImporter().importPath(compiled());
    }

    static JavaClasses classes() {
        return Imported.CLASSES;
    }

    static ModuleDescriptor module() throws IOException {
        return module(compiled());
    }

    private static ModuleDescriptor module(Path compiled) throws IOException {
        try (var in = Files.newInputStream(compiled.resolve("module-info.class"))) {
            return ModuleDescriptor.read(in);
        }
    }

    static Set<String> exportedPackages() throws IOException {
        return exportedPackages(compiled());
    }

    public static Set<String> exportedPackages(Path compiled) throws IOException {
        return module(compiled).exports().stream().filter(exports -> !exports.isQualified())
                .map(ModuleDescriptor.Exports::source).collect(Collectors.toSet());
    }

    /** The public types of the exported packages. */
    public static List<Class<?>> exportedTypes() throws IOException {
        return exportedTypes(compiled());
    }

    public static List<Class<?>> exportedTypes(Path compiled) throws IOException {
        var types = new ArrayList<Class<?>>();
        for (var name : exportedPackages(compiled)) {
            types.addAll(ClassFiles.in(compiled, name));
        }
        return types.stream().filter(MainCode::isVisible).toList();
    }

    private static boolean isVisible(Class<?> type) {
        for (var t = type; t != null; t = t.getEnclosingClass()) {
            if (!Modifier.isPublic(t.getModifiers())) {
                return false;
            }
        }
        return true;
    }
}
