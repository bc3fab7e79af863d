package io.fibry.internal.report;

/** The name by which texts and records show a class. */
public final class ClassName {
    private static final String LAMBDA = "$$Lambda";

    private ClassName() {
    }

    /** Returns the name of a class. The name of a lambda ends where a number follows that is another one in each run. */
    public static String of(Class<?> type) {
        var name = type.getName();
        var lambda = name.indexOf(LAMBDA);
        return lambda < 0 ? name : name.substring(0, lambda + LAMBDA.length());
    }
}
