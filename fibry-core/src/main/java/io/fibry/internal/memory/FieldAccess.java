package io.fibry.internal.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Creates the {@code VarHandle}s by which the engine's classes access their own fields atomically. */
public final class FieldAccess {
    private FieldAccess() {
    }

    /**
     * Returns the handle of a field of the class that {@code lookup} belongs to.
     *
     * @param lookup the lookup of the class that declares the field
     * @param field the name of the field
     * @param type the type of the field
     * @return the handle; it supports all access modes
     */
    public static VarHandle of(MethodHandles.Lookup lookup, String field, Class<?> type) {
        try {
            return lookup.findVarHandle(lookup.lookupClass(), field, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
