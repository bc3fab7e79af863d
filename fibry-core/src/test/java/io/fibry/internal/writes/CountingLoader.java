package io.fibry.internal.writes;

import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassReader;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassWriter;
import io.fibry.Actor;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Loads all of Fibry anew, and the classes of the library so that they report to {@link WriteLog} each write to a shared
 * word. Assertions are off in them, as in programs, so the marks of seeded schedules are not called.
 */
final class CountingLoader extends ClassLoader {
    private final Path folder;
    private final LibraryClasses library;

    CountingLoader() throws IOException, URISyntaxException {
        super(CountingLoader.class.getClassLoader());
        folder = Path.of(Actor.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        library = LibraryClasses.below(folder);
        clearAssertionStatus(); // also what the command line says of packages
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith("io.fibry.") || name.startsWith(WriteLog.class.getName())) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            var known = findLoadedClass(name);
            return known != null ? known : define(name);
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        var path = name.replace('.', '/') + ".class";
        try {
            var ofLibrary = folder.resolve(path);
            var bytes = Files.exists(ofLibrary) ? counting(Files.readAllBytes(ofLibrary)) : asItIs(path);
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private byte[] counting(byte[] compiled) {
        var writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        new ClassReader(compiled).accept(new CountingClass(writer, library), 0);
        return writer.toByteArray();
    }

    private byte[] asItIs(String path) throws IOException {
        try (var input = Objects.requireNonNull(getParent()).getResourceAsStream(path)) {
            if (input == null) {
                throw new IOException("there is no " + path);
            }
            return input.readAllBytes();
        }
    }
}
