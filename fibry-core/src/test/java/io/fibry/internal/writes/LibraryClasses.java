package io.fibry.internal.writes;

import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassReader;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.FieldVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.MethodVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Opcodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The classes of the library: what each extends, its volatile fields, and its methods. Names are those of class files. */
final class LibraryClasses {
    private final Map<String, String> parents = new HashMap<>();
    private final Set<String> volatileFields = new HashSet<>();
    private final Set<String> methods = new HashSet<>();

    private LibraryClasses() {
    }

    static LibraryClasses below(Path folder) throws IOException {
        var found = new LibraryClasses();
        try (var files = Files.walk(folder)) {
            for (var file : files.filter(each -> each.toString().endsWith(".class")).toList()) {
                found.add(Files.readAllBytes(file));
            }
        }
        return found;
    }

    private void add(byte[] compiled) {
        new ClassReader(compiled).accept(new ClassVisitor(Opcodes.ASM9) {
            private String owner = "";

            @Override
            public void visit(int version, int access, String name, String signature, String parent,
                    String[] interfaces) {
                owner = name;
                parents.put(name, parent == null ? "" : parent);
            }

            @Override
            public FieldVisitor visitField(int access, String name, String type, String signature,
                    Object value) {
                if ((access & Opcodes.ACC_VOLATILE) != 0) {
                    volatileFields.add(owner + "." + name);
                }
                return null;
            }

            @Override
            public MethodVisitor visitMethod(int access, String name, String type, String signature,
                    String[] thrown) {
                methods.add(owner + "." + name + type);
                return null;
            }
        }, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    }

    /** Returns the class that declares the volatile field that code names by this class. */
    Optional<String> declaresVolatile(String owner, String field) {
        for (var name = owner; parents.containsKey(name); name = parents.get(name)) {
            if (volatileFields.contains(name + "." + field)) {
                return Optional.of(name);
            }
        }
        return Optional.empty();
    }

    /** Returns the class outside of the library that has the method that code names by this class. */
    Optional<String> outside(String owner, String method, String type) {
        var name = owner;
        for (; parents.containsKey(name); name = parents.get(name)) {
            if (methods.contains(name + "." + method + type)) {
                return Optional.empty();
            }
        }
        return Optional.of(name);
    }
}
