package io.fibry.codec;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonToken;

/**
 * A list or a set. What is read is immutable, and a set keeps the order in which it was written. Elements of a set that
 * differed only in what is no longer read are equal, so the set has one of them.
 */
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
            var alike = new Alike(out.alike);
            ((Collection<?>) value).forEach(alike::add);
            out.alike = Math.max(around, alike.comparisons());
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
        var alike = new Alike(in.alike);
        var distinct = LinkedHashSet.newLinkedHashSet(found.size());
        for (var each : found) {
            if (distinct.add(each)) {
                alike.add(each);
            }
        }
        in.alike = Math.max(around, alike.comparisons());
        return Collections.unmodifiableSet(distinct);
    }

    /**
     * Counts the elements of a set that have the same hash code, and refuses too many. Java compares an element with
     * those of the same hash code, one by one, and whoever writes bytes can make hash codes equal. To compare two sets, Java looks
     * for each element of one in the other, and computes its hash code again. So the numbers of sets within one another are
     * multiplied, and each level counts. As the product has a limit, the time grows as the bytes do.
     */
    private static final class Alike {
        private final Map<Integer, Integer> codes = new HashMap<>();
        /** How many comparisons it may take to compare two elements. */
        private final int inside;
        private int most = 1;

        Alike(int inside) {
            this.inside = inside;
        }

        void add(Object element) {
            most = Math.max(most, codes.merge(element.hashCode(), 1, Integer::sum));
            if (most > MOST_ALIKE / inside) {
                throw new Fault(most + " elements of a set have the same hash code"
                        + (inside == 1 ? "" : ", and so may have elements of these")
                        + ": use a List, or a type with other hash codes");
            }
        }

        /** Returns how many comparisons it may take to compare two sets. */
        int comparisons() {
            return most * inside + 1;
        }
    }
}
