package io.fibry.codec;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonToken;

/** A list or a set. What is read is immutable, and a set keeps the order in which it was written. */
record ListShape(boolean set, ShapeRef element) implements Shape {
    @Override
    public String label() {
        return (set ? "Set<" : "List<") + element.label() + '>';
    }

    @Override
    public void write(CborOutput out, Object value) {
        out.enter();
        out.tokens.writeStartArray();
        int index = 0;
        var shape = element.shape();
        for (@Nullable Object each : (Collection<?>) value) {
            try {
                if (each == null) {
                    throw new Fault(
                            "is null; elements are never null: leave it out, or use a record with an Optional component");
                }
                shape.write(out, each);
            } catch (Fault e) {
                throw e.within("[" + index + "]");
            }
            index++;
        }
        out.tokens.writeEndArray();
        out.leave();
    }

    @Override
    public Object read(CborInput in) {
        in.expect(JsonToken.START_ARRAY, label());
        in.enter();
        Collection<Object> found = set ? new LinkedHashSet<>() : new ArrayList<>();
        var shape = element.shape();
        int index = 0;
        while (in.tokens.nextToken() != JsonToken.END_ARRAY) {
            try {
                if (!found.add(shape.read(in))) {
                    throw new Fault("occurs twice in a set");
                }
            } catch (Fault e) {
                throw e.within("[" + index + "]");
            }
            index++;
        }
        in.leave();
        return found instanceof List<Object> list ? Collections.unmodifiableList(list)
                : Collections.unmodifiableSet((LinkedHashSet<Object>) found);
    }
}
