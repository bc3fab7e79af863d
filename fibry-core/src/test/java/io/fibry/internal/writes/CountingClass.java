package io.fibry.internal.writes;

import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.MethodVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Opcodes;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Copies a class and adds a call of {@link WriteLog} before each write to a shared word. */
final class CountingClass extends ClassVisitor {
    private static final String LOG = Type.getInternalName(WriteLog.class);
    private static final String HANDLE = "java/lang/invoke/VarHandle";
    private static final String TEXT = "Ljava/lang/String;";
    /** The methods of java.util.concurrent that the library calls and that only read, or write plainly. */
    private static final Set<String> READS = Set.of("<init>", "get", "getPlain", "getAcquire", "getOpaque",
            "length", "sum", "size", "isEmpty", "peek", "containsKey", "contains", "iterator", "values",
            "keySet", "entrySet", "isDone", "getNow", "join", "getOrDefault", "isCancelled",
            "isCompletedExceptionally", "state", "resultNow", "exceptionNow", "getCount", "current",
            "toMillis",
            "toNanos", "toSeconds", "convert", "stream", "forEach", "ordinal",
            "setPlain");
    private static final Set<String> WAKES = Set.of("start", "interrupt", "unpark");

    private final LibraryClasses library;
    private final List<Stub> stubs = new ArrayList<>();
    private String name = "";
    private boolean isInterface;

    /** A method that records a write by a handle and then makes it. */
    private record Stub(String mode, String type) {
    }

    CountingClass(ClassVisitor next, LibraryClasses library) {
        super(Opcodes.ASM9, next);
        this.library = library;
    }

    /** Returns the name of a class without its package. */
    static String simple(String internalName) {
        return internalName.substring(internalName.lastIndexOf('/') + 1).replace('$', '.');
    }

    @Override
    public void visit(int version, int access, String className, String signature, String parent,
            String[] interfaces) {
        name = className;
        isInterface = (access & Opcodes.ACC_INTERFACE) != 0;
        super.visit(version, access, className, signature, parent, interfaces);
    }

    @Override
    public MethodVisitor visitMethod(int access, String method, String type, String signature,
            String[] thrown) {
        var isConstructor = method.equals("<init>") || method.equals("<clinit>");
        return new MethodVisitor(Opcodes.ASM9, super.visitMethod(access, method, type, signature, thrown)) {
            @Override
            public void visitFieldInsn(int code, String owner, String field, String fieldType) {
                if (code == Opcodes.PUTFIELD && !isConstructor || code == Opcodes.PUTSTATIC) {
                    library.declaresVolatile(owner, field)
                            .ifPresent(declaring -> report(simple(declaring) + "." + field, "setVolatile"));
                }
                super.visitFieldInsn(code, owner, field, fieldType);
            }

            @Override
            public void visitMethodInsn(int code, String owner, String called, String calledType,
                    boolean ofInterface) {
                if (owner.equals(HANDLE) && isWrite(called)) {
                    var stub = new Stub(called, "(L" + HANDLE + ";" + calledType.substring(1));
                    if (!stubs.contains(stub)) {
                        stubs.add(stub);
                    }
                    super.visitMethodInsn(Opcodes.INVOKESTATIC, name, nameOf(stub), stub.type(), isInterface);
                    return;
                }
                library.outside(owner, called, calledType).filter(outside -> isShared(outside, called))
                        .ifPresent(outside -> report(simple(outside) + "." + called + "` in `" + simple(name),
                                called));
                super.visitMethodInsn(code, owner, called, calledType, ofInterface);
            }

            private void report(String word, String mode) {
                super.visitLdcInsn(word);
                super.visitLdcInsn(mode);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, LOG, "other", "(" + TEXT + TEXT + ")V", false);
            }
        };
    }

    private static boolean isWrite(String called) {
        return called.startsWith("compareAnd") || called.startsWith("weakCompareAnd")
                || called.startsWith("getAnd") || called.equals("setVolatile") || called.equals("setRelease")
                || called.equals("setOpaque");
    }

    private static boolean isShared(String owner, String called) {
        if (owner.equals("java/lang/Thread") || owner.equals("java/util/concurrent/locks/LockSupport")) {
            return WAKES.contains(called);
        }
        return owner.startsWith("java/util/concurrent/") && !READS.contains(called);
    }

    private String nameOf(Stub stub) {
        return "counted$" + stubs.indexOf(stub);
    }

    @Override
    public void visitEnd() {
        for (var stub : stubs) {
            var code = super.visitMethod(Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC,
                    nameOf(stub), stub.type(), null, null);
            code.visitCode();
            code.visitVarInsn(Opcodes.ALOAD, 0);
            code.visitLdcInsn(stub.mode());
            code.visitLdcInsn(simple(name));
            code.visitMethodInsn(Opcodes.INVOKESTATIC, LOG, "byHandle",
                    "(L" + HANDLE + ";" + TEXT + TEXT + ")V",
                    false);
            var place = 0;
            for (var parameter : Type.getArgumentTypes(stub.type())) {
                code.visitVarInsn(parameter.getOpcode(Opcodes.ILOAD), place);
                place += parameter.getSize();
            }
            code.visitMethodInsn(Opcodes.INVOKEVIRTUAL, HANDLE, stub.mode(),
                    stub.type().replaceFirst("L" + HANDLE + ";", ""), false);
            code.visitInsn(Type.getReturnType(stub.type()).getOpcode(Opcodes.IRETURN));
            code.visitMaxs(0, 0);
            code.visitEnd();
        }
        super.visitEnd();
    }
}
