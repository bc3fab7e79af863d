package io.fibry.codec;

import tools.jackson.core.JsonGenerator;

/** Where one value is written to. */
final class CborOutput {
    final JsonGenerator tokens;
    private final int deepest;
    private int depth;
    /** How many comparisons it may take to compare two elements of the present set: see {@link ListShape}. */
    int alike = 1;

    CborOutput(JsonGenerator tokens, int deepest) {
        this.tokens = tokens;
        this.deepest = deepest;
    }

    void enter() {
        if (++depth > deepest) {
            throw new Fault("more than " + deepest
                    + " levels of records, lists, sets and maps inside one another: make the value flatter, or set "
                    + "CodecOptions.depth");
        }
    }

    void leave() {
        depth--;
    }

    /** Writes a value with its name in front. */
    void named(String name, Shape shape, Object value) {
        tokens.writeStartArray(value, 2);
        tokens.writeString(name);
        shape.write(this, value);
        tokens.writeEndArray();
    }
}
