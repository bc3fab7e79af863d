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
    private static final int MOST_ALIKE = 1_000;

    @Override
    public String label() {
        return (set ? "Set<" : "List<") + element.label() + '>';
    }

    @Override
    public void write(CborOutput out, Object value) {
        out.enter();
        out.tokens.writeStartArray();
        int around = out.alike;
        out.alike = set ? 1 : around;
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
        if (set) { // or nobody could read it
            out.alike = Math.max(around, alike((Collection<?>) value, out.alike));
        }
        out.tokens.writeEndArray();
        out.leave();
    }

    @Override
    public Object read(CborInput in) {
        in.expect(JsonToken.START_ARRAY, label());
        in.enter();
        var found = new ArrayList<Object>();
        var shape = element.shape();
        int around = in.alike;
        in.alike = set ? 1 : around;
        int index = 0;
        while (in.tokens.nextToken() != JsonToken.END_ARRAY) {
            try {
                found.add(shape.read(in));
            } catch (Fault e) {
                throw e.within("[" + index + "]");
            }
            index++;
        }
        in.leave();
        if (!set) {
            return Collections.unmodifiableList(found);
        }
        in.alike = Math.max(around, alike(found, in.alike));
        var distinct = LinkedHashSet.newLinkedHashSet(found.size());
        for (var each : found) {
            if (!distinct.add(each)) {
                throw new Fault("occurs twice in a set").within("[" + distinct.size() + "]");
            }
        }
        return Collections.unmodifiableSet(distinct);
    }

    /**
     * Returns how many comparisons it may take to add an element to a set, and refuses too many. Java compares an element with
     * those of the same hash code, one by one, and whoever writes bytes can make hash codes equal. To compare two sets, Java looks
     * for each element of one in the other. So the numbers of sets within one another are multiplied. As the product has a
     * limit, the time grows as the bytes do.
     *
     * @param inside how many comparisons it may take to compare two elements
     */
    private static int alike(Collection<?> elements, int inside) {
        var codes = elements.stream().mapToInt(Object::hashCode).sorted().toArray();
        int most = 1;
        for (int i = 1, same = 1; i < codes.length; i++) {
            same = codes[i] == codes[i - 1] ? same + 1 : 1;
            most = Math.max(most, same);
        }
        if (most > MOST_ALIKE / inside) {
            throw new Fault(most + " elements of a set have the same hash code"
                    + (inside == 1 ? "" : ", and so have elements of these")
                    + ": use a List, or a type with other hash codes");
        }
        return most * inside;
    }
}
