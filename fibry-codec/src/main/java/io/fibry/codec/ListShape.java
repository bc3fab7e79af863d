package io.fibry.codec;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonToken;

/**
 * A list or a set. What is read is immutable, and a set keeps the order in which it was written. Of elements that are equal when
 * they are read, the first one stays: they may have differed in a component that this release does not have.
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
            out.alike = Math.max(around, alike((Collection<?>) value, out.alike, new HashSet<>()));
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
        var distinct = LinkedHashSet.newLinkedHashSet(found.size());
        in.alike = Math.max(around, alike(found, in.alike, distinct));
        return Collections.unmodifiableSet(distinct);
    }

    /**
     * Adds elements to a set, and returns how many comparisons that may take for each. Refuses too many. Java compares an element
     * with those of the same hash code, one by one, and whoever writes bytes can make hash codes equal. To compare two sets, Java
     * looks for each element of one in the other, by its hash code, which takes all that is in it. So the numbers of sets within
     * one another are multiplied, and each level adds one. As the result has a limit, the time grows as the bytes do.
     *
     * @param inside how many comparisons it may take to compare two elements
     * @param distinct the set, which is empty
     */
    private static int alike(Collection<?> elements, int inside, Set<Object> distinct) {
        int limit = Math.max(1, MOST_ALIKE / inside);
        var codes = new HashMap<Integer, Integer>();
        int most = 1;
        for (var each : elements) {
            if (distinct.add(each)) {
                most = Math.max(most, codes.merge(each.hashCode(), 1, Integer::sum));
            }
            if (most > limit) {
                throw new Fault("more than " + limit + " elements of a set have the same hash code"
                        + (inside == 1 ? "" : ", and sets within them")
                        + ": use a List, or a type with other hash codes");
            }
        }
        return most * inside + 1;
    }
}
