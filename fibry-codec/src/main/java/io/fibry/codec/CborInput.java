package io.fibry.codec;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Where one value is read from. */
final class CborInput {
    JsonParser tokens;
    private final Upcasting upcasting;
    private final int deepest;
    private int depth;
    /** How many comparisons it may take to compare two elements of the present set: see {@link ListShape}. */
    int alike = 1;

    CborInput(JsonParser tokens, Upcasting upcasting, int deepest) {
        this.tokens = tokens;
        this.upcasting = upcasting;
        this.deepest = deepest;
    }

    void enter() {
        if (++depth > deepest) {
            throw new Fault("more than " + deepest
                    + " levels of records, lists, sets and maps inside one another: CodecOptions.depth permits more");
        }
    }

    void leave() {
        depth--;
    }

    void expect(JsonToken expected, String what) {
        var found = tokens.currentToken();
        if (found != expected) {
            throw unexpected(what);
        }
    }

    Fault unexpected(String what) {
        return new Fault("expected " + what + ", found " + describe(tokens.currentToken()));
    }

    private static String describe(@Nullable JsonToken token) {
        return switch (token) {
            case null -> "the end of the bytes";
            case START_OBJECT -> "a record or map";
            case START_ARRAY -> "a list";
            case END_ARRAY, END_OBJECT -> "the end of what contains it";
            case VALUE_STRING -> "a text";
            case VALUE_NUMBER_INT -> "an integer";
            case VALUE_NUMBER_FLOAT -> "a floating-point number";
            case VALUE_TRUE, VALUE_FALSE -> "a boolean";
            case VALUE_NULL -> "null";
            case VALUE_EMBEDDED_OBJECT -> "bytes";
            default -> token.toString();
        };
    }

    /** Reads an integer from the current token. */
    long integer(long least, long most, String what) {
        expect(JsonToken.VALUE_NUMBER_INT, what);
        switch (tokens.getNumberType()) {
            case INT, LONG -> {
                long value = tokens.getLongValue();
                if (value >= least && value <= most) {
                    return value;
                }
                throw new Fault(value + " is no " + what + ": it is out of range");
            }
            default -> throw new Fault("a number of more than 64 bits is no " + what);
        }
    }

    /** Reads a value with its name in front. */
    Object named(Map<String, ShapeRef> known, String of) {
        expect(JsonToken.START_ARRAY, of + " with its type name");
        tokens.nextToken();
        expect(JsonToken.VALUE_STRING, "a type name");
        var name = tokens.getString();
        tokens.nextToken();
        var value = withName(name, known, of);
        tokens.nextToken();
        expect(JsonToken.END_ARRAY, "the end of " + of);
        return value;
    }

    boolean changes(String name) {
        return upcasting.changes(name);
    }

    /** Reads a value whose name has been read. */
    Object withName(String written, Map<String, ShapeRef> known, String of) {
        return changes(written) ? upcasting.read(this, written, known, of)
                : find(written, known, of).read(this);
    }

    /** Reads the components of the same value after a change. */
    Object changed(JsonParser instead, RecordShape shape) {
        var before = tokens;
        tokens = instead;
        tokens.nextToken();
        var value = shape.readComponents(this);
        tokens = before;
        return value;
    }

    static Shape find(String name, Map<String, ShapeRef> known, String of) {
        var found = known.get(name);
        if (found == null) {
            throw new Fault("the type " + Texts.quoted(name) + " is not known as " + of + "; known are "
                    + Texts.some(known.keySet())
                    + ". It was written by another release: keep the type, or give an Upcaster for it");
        }
        return found.shape();
    }
}
