package io.fibry.codec;

import java.util.Map;

/** Reads values of types with an upcaster. A codec without upcasters needs no trees, so no jackson-databind at run time. */
sealed interface Upcasting permits Upcasting.None, TreeUpcasting {
    /** Tells whether a type of this name has an upcaster. */
    boolean changes(String name);

    /**
     * Reads a value whose name has been read, and has an upcaster.
     *
     * @param in where its components are read from
     * @param written the name
     * @param known the types that are permitted
     * @param of what is read, for errors
     */
    Object read(CborInput in, String written, Map<String, ShapeRef> known, String of);

    /** No type has an upcaster. */
    enum None implements Upcasting {
        NONE;

        @Override
        public boolean changes(String name) {
            return false;
        }

        @Override
        public Object read(CborInput in, String written, Map<String, ShapeRef> known, String of) {
            throw new IllegalStateException("no type has an upcaster: " + written);
        }
    }
}
