package io.fibry.inside;

import java.util.List;

/** Names of classes and places in code, as short as they are clear. */
final class ClassNames {
    private static final List<String> OF_THE_JDK =
            List.of("java.", "javax.", "jdk.", "sun.", "com.sun.", "io.fibry.internal.");

    private ClassNames() {
    }

    /** Returns the name without its package; of a lambda it has the class in which it is written. */
    static String shortened(String name) {
        var lambda = name.indexOf("$$Lambda");
        var whole = lambda > 0 ? name.substring(0, lambda) + " (lambda)" : name;
        var last = whole.lastIndexOf('.');
        return (last < 0 ? whole : whole.substring(last + 1)).replace('$', '.');
    }

    /** Returns the method and the line at the top of a stack that belong to the program; empty if nothing is known. */
    static String place(List<StackTraceElement> stack) {
        for (var frame : stack) {
            if (OF_THE_JDK.stream().noneMatch(frame.getClassName()::startsWith)) {
                return shown(frame);
            }
        }
        return stack.isEmpty() ? "" : shown(stack.getFirst());
    }

    private static String shown(StackTraceElement frame) {
        var method = frame.getMethodName();
        return shortened(frame.getClassName()) + (method.startsWith("lambda$") ? "" : "." + method)
                + (frame.getLineNumber() < 0 ? "" : ":" + frame.getLineNumber());
    }
}
