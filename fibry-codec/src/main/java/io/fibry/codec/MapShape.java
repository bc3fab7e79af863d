package io.fibry.codec;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonToken;

/** A map, whose keys have a form as text. What is read is immutable, and keeps the order in which it was written. */
record MapShape(MapKey key, ShapeRef value) implements Shape {
    @Override
    public String label() {
        return "Map<" + key.label() + ", " + value.label() + '>';
    }

    @Override
    public void write(CborOutput out, Object map) {
        out.enter();
        out.tokens.writeStartObject();
        for (Map.Entry<?, ?> entry : ((Map<?, ?>) map).entrySet()) {
            @Nullable Object entryKey = entry.getKey();
            @Nullable Object entryValue = entry.getValue();
            if (entryKey == null) {
                throw new Fault("has a null as a key; keys are never null");
            }
            var text = key.write(entryKey);
            try {
                if (entryValue == null) {
                    throw new Fault("is null; values are never null: leave the key out");
                }
                out.tokens.writeName(text);
                value.shape().write(out, entryValue);
            } catch (Fault e) {
                throw e.within("[" + Texts.quoted(text) + "]");
            }
        }
        out.tokens.writeEndObject();
        out.leave();
    }

    @Override
    public Object read(CborInput in) {
        in.expect(JsonToken.START_OBJECT, label());
        in.enter();
        var found = new LinkedHashMap<Object, Object>();
        var shape = value.shape();
        while (in.tokens.nextToken() != JsonToken.END_OBJECT) {
            in.expect(JsonToken.PROPERTY_NAME, "a key");
            var text = in.tokens.currentName();
            var entryKey = key.read(text);
            in.tokens.nextToken();
            try {
                if (found.put(entryKey, shape.read(in)) != null) {
                    throw new Fault("the key occurs twice");
                }
            } catch (Fault e) {
                throw e.within("[" + Texts.quoted(text) + "]");
            }
        }
        in.leave();
        return Collections.unmodifiableMap(found);
    }
}
