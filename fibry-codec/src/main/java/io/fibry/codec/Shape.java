package io.fibry.codec;

/** How the values of a type are written and read. Immutable. */
sealed interface Shape permits ValueShape, EnumShape, RecordShape, SealedShape, ListShape, MapShape {
    /** The type as it is in a golden file. */
    String label();

    void write(CborOutput out, Object value);

    /** Reads from the current token, which is the first one of the value. Afterwards the current token is its last one. */
    Object read(CborInput in);
}
