package io.fibry.internal.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Atomic access to the fields of the engine's own classes. */
public final class FieldAccess {
    private FieldAccess() {
    }

    /**
     * Access to a field of the class that looks it up.
     *
     * @param lookup the class's
     * @param field its name
     * @param type its type
     * @return access in all modes
     */
    public static VarHandle of(MethodHandles.Lookup lookup, String field, Class<?> type) {
        try {
            return lookup.findVarHandle(lookup.lookupClass(), field, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
